import Cabinet
import Synchronization

/// One fetch of a sync engine.
struct SyncFetch {
    let engine: CKSyncEngine
    let context: CKSyncEngine.FetchChangesContext

    private var state: CKSyncEngine.State { engine.state }

    /// Fetches the zones that have changed, and then their records.
    func run() async throws {
        await engine.report(.willFetchChanges(.init(context: context)))
        do {
            try await fetchZones()
            try await fetchRecords()
        } catch {
            await end()
            throw error
        }
        await end()
    }

    private func end() async {
        await engine.report(.didFetchChanges(.init(context: context)))
        await engine.reportState()
    }

    private func fetchZones() async throws {
        var isDone = false
        while !isDone {
            let token = state.value.databaseToken.map(CKServerChangeToken.init)
            do {
                let page = try await engine.database.databaseChanges(since: token)
                let modified = page.modifications.map(\.zoneID.value)
                let deleted = Set(page.deletions.map(\.zoneID.value))
                state.change { content in
                    content.unfetched.removeAll { deleted.contains($0) || modified.contains($0) }
                    content.unfetched += modified
                    content.zoneTokens.removeAll { deleted.contains($0.id) }
                    content.databaseToken = page.changeToken.value
                }
                if !page.modifications.isEmpty || !page.deletions.isEmpty {
                    await engine.report(
                        .fetchedDatabaseChanges(
                            .init(modifications: page.modifications, deletions: page.deletions)))
                }
                await engine.reportState()
                isDone = !page.moreComing
            } catch let error as CKError where error.code == .changeTokenExpired && token != nil {
                state.change { $0.databaseToken = nil }
            }
        }
    }

    private func fetchRecords() async throws {
        let unfetched = state.zoneIDsWithUnfetchedServerChanges.filter(context.options.scope.contains)
        let first = context.options.prioritizedZoneIDs.filter(unfetched.contains)
        for zoneID in first + unfetched.filter({ !first.contains($0) }) {
            await engine.report(.willFetchRecordZoneChanges(.init(zoneID: zoneID)))
            do {
                try await fetchRecords(of: zoneID)
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: nil)))
            } catch let error as CKError where error.code == .zoneNotFound {
                // The next fetch of zones reports the deletion.
                state.change { $0.unfetched.removeAll { $0 == zoneID.value } }
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)))
            } catch {
                let error = error as? CKError
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)))
                throw error ?? CKError(.internalError, "The changes of \(zoneID) were not fetched.")
            }
        }
    }

    private func fetchRecords(of zoneID: CKRecordZone.ID) async throws {
        var isDone = false
        while !isDone {
            let token = state.value.zoneTokens.first { $0.id == zoneID.value }.map { CKServerChangeToken($0.token) }
            do {
                let page = try await engine.database.changes(
                    ofZone: zoneID, since: token, desiredKeys: nil, resultsLimit: nil)
                let records = page.records.filter { !isOwn($0) }
                state.setToken(page.changeToken.value, ofZone: zoneID.value)
                isDone = !page.moreComing
                if isDone { state.change { $0.unfetched.removeAll { $0 == zoneID.value } } }
                if !records.isEmpty || !page.deletions.isEmpty {
                    await engine.report(
                        .fetchedRecordZoneChanges(
                            .init(
                                modifications: records.map { .init(record: $0) }, deletions: page.deletions)))
                }
                await engine.reportState()
            } catch let error as CKError where error.code == .changeTokenExpired && token != nil {
                state.setToken(nil, ofZone: zoneID.value)
            }
        }
    }

    /// Whether this engine has sent the record, and no other device has changed it since.
    private func isOwn(_ record: CKRecord) -> Bool {
        engine.sentTags.withLock { tags in
            guard let tag = tags.removeValue(forKey: record.recordID) else { return false }
            return tag == record.recordChangeTag
        }
    }
}
