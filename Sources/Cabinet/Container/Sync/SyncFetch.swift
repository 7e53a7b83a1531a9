import Synchronization

/// One fetch of a sync engine.
struct SyncFetch {
    let engine: SyncEngine
    let context: SyncEngine.FetchChangesContext

    private var state: SyncEngine.State { engine.state }

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
        // Without a token, no deletions are reported: a zone with a token that is not among the changes was deleted.
        var lost = state.value.databaseToken == nil ? zonesWithTokens : []
        while !isDone {
            let token = state.value.databaseToken
            do {
                let page = try await engine.database.databaseChanges(since: token, resultsLimit: engine.pageSize)
                let modified = page.modifications.map(\.zoneID)
                lost.subtract(modified)
                let deletions = page.deletions + (page.moreComing ? [] : lost.map { .init(zoneID: $0) })
                let deleted = Set(deletions.map(\.zoneID))
                let change = { (content: inout SyncEngine.State.Content) in
                    content.unfetched.removeAll { deleted.contains($0) || modified.contains($0) }
                    content.unfetched += modified
                    content.zoneTokens.removeAll { deleted.contains($0.id) }
                    content.databaseToken = page.changeToken
                }
                if page.modifications.isEmpty, deletions.isEmpty {
                    state.change(change)
                } else {
                    await engine.report(
                        .fetchedDatabaseChanges(.init(modifications: page.modifications, deletions: deletions)),
                        changing: change)
                }
                await engine.reportState()
                isDone = !page.moreComing
            } catch let error as CabinetError where error.code == .changeTokenExpired && token != nil {
                lost = zonesWithTokens
                state.change { $0.databaseToken = nil }
            }
        }
    }

    private var zonesWithTokens: Set<RecordZone.ID> {
        let rule = OwnerRule(user: engine.database.client.userRecordName)
        return Set(state.value.zoneTokens.map { rule.canonical($0.id) }).subtracting([.default])
    }

    private func fetchRecords() async throws {
        let unfetched = state.zoneIDsWithUnfetchedServerChanges.filter(context.options.scope.contains)
        let first = context.options.prioritizedZoneIDs.filter(unfetched.contains)
        for zoneID in first + unfetched.filter({ !first.contains($0) }) {
            await engine.report(.willFetchRecordZoneChanges(.init(zoneID: zoneID)))
            do {
                try await fetchRecords(of: zoneID)
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: nil)))
            } catch let error as CabinetError where error.code == .zoneNotFound {
                // The next fetch of zones reports the deletion.
                state.change { $0.unfetched.removeAll { $0 == zoneID } }
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)))
            } catch {
                let reported = error as? CabinetError ?? CabinetError(.internalError, "\(error)")
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: reported)))
                throw error
            }
        }
    }

    private func fetchRecords(of zoneID: RecordZone.ID) async throws {
        var (isDone, isExpired) = (false, false)
        while !isDone {
            // An expired token is kept until a page has replaced it: without a token, a send would ask for a first one.
            let token = isExpired ? nil : state.value.zoneTokens.first { $0.id == zoneID }?.token
            do {
                let page = try await engine.database.recordZoneChangePage(
                    inZoneWith: zoneID, since: token, desiredKeys: nil, resultsLimit: engine.pageSize)
                // A fetch of the whole zone reports every record, also if another fetch continues it: what it does not
                // report was deleted.
                if token == nil { engine.forgetSent(in: zoneID) }
                let modifications = page.modifications.filter { !isOwn($0.record) }
                (isDone, isExpired) = (!page.moreComing, false)
                let isLast = isDone
                let change = { (content: inout SyncEngine.State.Content) in
                    content.setToken(page.changeToken, ofZone: zoneID)
                    if isLast { content.unfetched.removeAll { $0 == zoneID } }
                }
                if modifications.isEmpty, page.deletions.isEmpty, token != nil {
                    state.change(change)
                } else {
                    await engine.report(
                        .fetchedRecordZoneChanges(
                            .init(
                                zoneID: zoneID, modifications: modifications, deletions: page.deletions,
                                isFromBeginning: token == nil)),
                        changing: change)
                }
                await engine.reportState()
            } catch let error as CabinetError where error.code == .changeTokenExpired && token != nil {
                isExpired = true
            }
        }
    }

    /// Whether this engine has sent the record, and no other device has changed it since.
    private func isOwn(_ record: Record) -> Bool {
        engine.sentTags.withLock { tags in
            guard let tag = tags.removeValue(forKey: record.recordID) else { return false }
            return tag == record.recordChangeTag
        }
    }
}
