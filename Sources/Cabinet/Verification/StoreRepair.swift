/// Mends what can be mended without loss, in one transaction.
///
/// Nothing that was found before is relied on: others may have written since. What is as it must be stays as it is, so that repairing
/// twice is repairing once.
struct StoreRepair {
    let transaction: any StorageTransaction

    /// How many changes, and how many assets, are looked at together.
    private static let pageSize = 1000
    /// Numbers beyond it are no numbers that were ever given out.
    private static let highestNumber: Int64 = 1 << 62

    func run() async throws {
        try await raiseNumbers()
        try await removeUnusedAssets()
    }

    /// Makes zones know of their last changes, and the database of the last number that was given out.
    private func raiseNumbers() async throws {
        var highest: Int64 = 0
        var ids: Set<RecordZone.ID> = [.default]
        let zones = try await transaction.zones(for: nil)
        for zone in zones {
            highest = max(highest, zone.changeNumber)
            ids.insert(zone.zoneID)
        }
        for id in ids {
            let known = zones.first { $0.zoneID == id }?.changeNumber ?? 0
            let last = try await lastChange(in: id, after: known)
            highest = max(highest, last)
            if last > known { try await transaction.markZones([id], sequenceNumber: last) }
        }
        highest = max(highest, try await lastNotification())
        let last = try await transaction.lastSequenceNumber()
        let missing = highest.subtractingReportingOverflow(last)
        if highest > last, highest < Self.highestNumber, !missing.overflow {
            _ = try await transaction.reserveSequenceNumbers(Int(clamping: missing.partialValue))
        }
    }

    /// The number of the last change in a zone, as far as its changes can be read; what cannot be has a finding of its own.
    private func lastChange(in zoneID: RecordZone.ID, after known: Int64) async throws -> Int64 {
        var last = known
        do {
            while let change = try await transaction.changes(
                in: zoneID, after: last, limit: Self.pageSize, of: .all(fields: [])
            ).last, change.sequenceNumber > last {
                last = change.sequenceNumber
            }
        } catch {
            try StoreVerifier.rethrowInterruption(error)
        }
        return last
    }

    /// The highest number of a notification that can be read; what cannot be has a finding of its own.
    private func lastNotification() async throws -> Int64 {
        var last: Int64 = 0
        for range in [StorageKey.all("notification"), StorageKey.all("latest")] {
            for entry in try await transaction.allEntries(in: range) {
                guard let notification: StoredNotification = try? entry.decoded() else { continue }
                // One beyond all possible numbers is damaged itself.
                if notification.sequenceNumber < Self.highestNumber { last = max(last, notification.sequenceNumber) }
            }
        }
        return last
    }

    /// Removes assets that no record has.
    ///
    /// Bytes that are needed must never go: every record that can have an asset is looked at, and if one cannot be read, none is removed.
    private func removeUnusedAssets() async throws {
        var place: Asset.Checksum?
        while true {
            let page = try await transaction.assets(after: place, limit: Self.pageSize)
            var unused = Set(page.map(\.checksum))
            if !unused.isEmpty {
                unused.subtract(try await transaction.assetsInUse(among: Array(unused)))
            }
            if !unused.isEmpty {
                do {
                    unused.subtract(try await transaction.holders(of: unused).keys)
                } catch {
                    return try StoreVerifier.rethrowInterruption(error)
                }
            }
            if !unused.isEmpty { try await transaction.removeAssets(unused.sorted()) }
            guard page.count == Self.pageSize, let last = page.last else { return }
            place = last.checksum
        }
    }
}
