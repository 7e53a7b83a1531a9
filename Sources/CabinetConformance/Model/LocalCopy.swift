import Cabinet

// snippet: copy
/// A device's copy of a database, kept up to date by change tokens alone.
struct LocalCopy: Codable, Sendable {
    struct Zone: Codable, Sendable {
        var records: [RecordID: Record] = [:]
        var token: ServerChangeToken?
    }

    private(set) var zones: [RecordZone.ID: Zone] = [:]
    private var token: ServerChangeToken?

    /// Applies the changes since the last call.
    ///
    /// After an interruption, the next call resumes.
    mutating func update(from database: Database) async throws {
        do {
            for try await page in database.databaseChangeSequence(since: token) {
                for deletion in page.deletions { zones[deletion.zoneID] = nil }
                for change in page.modifications { try await update(change.zoneID, from: database) }
                // The token is stored last: storing it earlier would lose the changes in between.
                token = page.changeToken
            }
        } catch let error as CabinetError where error.code == .changeTokenExpired && token != nil {
            self = LocalCopy()
            try await update(from: database)
        }
    }

    private mutating func update(_ zoneID: RecordZone.ID, from database: Database) async throws {
        var zone = zones[zoneID] ?? Zone()
        do {
            // The sequence ends with the last page.
            for try await page in database.recordZoneChangeSequence(inZoneWith: zoneID, since: zone.token) {
                for deletion in page.deletions { zone.records[deletion.recordID] = nil }
                for change in page.modifications { zone.records[change.record.recordID] = change.record }
                zone.token = page.changeToken
                zones[zoneID] = zone
            }
        } catch let error as CabinetError where error.code == .changeTokenExpired && zone.token != nil {
            zones[zoneID] = nil
            try await update(zoneID, from: database)
        } catch let error as CabinetError where error.code == .zoneNotFound {
            // Deleted after the page that named it; a later page reports the deletion too.
            zones[zoneID] = nil
        }
    }
}
// end
