import Synchronization

/// One fetch of a sync engine.
struct SyncFetch {
    /// The codes of failures that the requests for all other zones would have too.
    private static let codesOfAllZones: Set<CabinetError.Code> = [
        .networkUnavailable, .serviceUnavailable, .requestRateLimited, .notAuthenticated,
        .accountTemporarilyUnavailable, .operationCancelled,
    ]

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
        var (token, isDone) = (state.value.databaseToken, false)
        // Without a token, no deletions are reported: a known zone that is not among the changes was deleted.
        var lost = token == nil ? knownZones : nil
        while !isDone {
            do {
                let page = try await engine.database.databaseChanges(since: token, resultsLimit: engine.pageSize)
                let modified = page.modifications.map(\.zoneID)
                lost?.subtract(modified + page.deletions.map(\.zoneID))
                isDone = !page.moreComing
                // The later pages alone do not show which zones were deleted: an interrupted list begins again.
                let keepsToken = isDone || lost == nil
                let deletions = page.deletions + (isDone ? lost ?? [] : []).map { .init(zoneID: $0) }
                let deleted = Set(deletions.map(\.zoneID))
                let change = { (content: inout SyncEngine.State.Content) in
                    content.unfetched.removeAll { deleted.contains($0) || modified.contains($0) }
                    content.unfetched += modified
                    content.zoneTokens.removeAll { deleted.contains($0.id) }
                    if keepsToken { content.databaseToken = page.changeToken }
                }
                if page.modifications.isEmpty, deletions.isEmpty {
                    state.change(change)
                } else {
                    await engine.report(
                        .fetchedDatabaseChanges(.init(modifications: page.modifications, deletions: deletions)),
                        changing: change)
                }
                await engine.reportState()
                token = page.changeToken
            } catch let error as CabinetError where error.code == .changeTokenExpired && token != nil {
                (token, lost) = (nil, knownZones)
                state.change { $0.databaseToken = nil }
            }
        }
    }

    private var knownZones: Set<RecordZone.ID> {
        let rule = OwnerRule(user: engine.database.client.userRecordName)
        let content = state.value
        return Set((content.zoneTokens.map(\.id) + content.unfetched).map(rule.canonical)).subtracting([.default])
    }

    /// Fetches the records of the zones, also after the failure of one of them.
    private func fetchRecords() async throws {
        var failure: CabinetError?
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
                if Task.isCancelled || Self.codesOfAllZones.contains(reported.code) { throw error }
                failure = failure ?? reported
            }
        }
        if let failure { throw failure }
    }

    private func fetchRecords(of zoneID: RecordZone.ID) async throws {
        var (isDone, isExpired, limit) = (false, false, engine.pageSize)
        while !isDone {
            // An expired token is kept until a page has replaced it: without a token, a send would ask for a first one.
            let known = isExpired ? nil : state.value.zoneTokens.first { $0.id == zoneID }
            let token = known?.token
            let isWhole = known.map(\.isOfUnfinishedFetch) ?? true
            do {
                let page = try await engine.database.recordZoneChangePage(
                    inZoneWith: zoneID, since: token, desiredKeys: nil, resultsLimit: limit)
                // A fetch of the whole zone reports every record, also if another fetch continues it: what it does not
                // report was deleted.
                if isWhole { engine.forgetSent(in: zoneID) }
                let modifications = page.modifications.filter { !isOwn($0.record) }
                (isDone, isExpired) = (!page.moreComing, false)
                let isLast = isDone
                let change = { (content: inout SyncEngine.State.Content) in
                    content.setToken(page.changeToken, ofZone: zoneID, isOfUnfinishedFetch: isWhole && !isLast)
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
            } catch let error as CabinetError where error.code == .limitExceeded && limit != 1 {
                // A page of large records can be longer than a response.
                limit = max((limit ?? ChangeFeedRule.defaultLimit) / 2, 1)
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
