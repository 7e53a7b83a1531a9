import Cabinet

/// One fetch of a mirror: the zones that have changed, and then their records, page by page.
///
/// A page and the position after it are one transaction, so a fetch that is interrupted goes on where it was.
struct MirrorFetch {
    let context: MirrorContext
    private let progress = MirrorProgress()

    private var store: MirrorStore { context.store }
    private var selection: MirrorSelection { context.configuration.selection }

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Fetches until nothing is left.
    func run() async throws {
        // A zone that was created again is recognized by its position, which a change of the selection resets.
        try await fetchZones()
        if try await MirrorSelectionChange(context).run() { try await fetchZones() }
        let zones = try await store.zones().filter { zone in
            !zone.isReplaced && (zone.isStale || zone.rebuildStart != nil) && selection.includes(zone.zoneID)
        }
        var failure: CabinetError?
        for (index, zone) in zones.enumerated() {
            try Task.checkCancellation()
            do {
                try await fetchRecords(of: zone, before: zones[(index + 1)...])
            } catch let error as CabinetError where !error.isTransient {
                // The failure of one zone must not keep the changes of the others away.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Fetches the zones that have changed, without their records, and applies the loss of zones.
    private func fetchZones() async throws {
        var position = try await store.databasePosition()
        // Without a position, the server reports no deletions: a known zone that is not among the others was deleted.
        var missing: Set<RecordZone.ID>? = position == nil ? try await knownZones() : nil
        while true {
            try Task.checkCancellation()
            var request = FetchDatabaseChangesRequest(in: context.scope)
            request.since = position
            let page: FetchDatabaseChangesRequest.Response
            do {
                page = try await context.ask(request)
            } catch let error as CabinetError where error.code == .changeTokenExpired && position != nil {
                (position, missing) = (nil, try await knownZones())
                continue
            }
            let changed = page.modifications.map(\.zoneID).filter(selection.includes)
            missing?.subtract(page.modifications.map(\.zoneID))
            var deleted = page.deletions.map { ($0.zoneID, $0.reason) }
            if !page.moreComing { deleted += (missing ?? []).map { ($0, .deleted) } }
            // A list from the beginning that is interrupted begins again: the zones that are missing in it are known at its end.
            let isAmidstList = missing != nil && page.moreComing
            try await apply(changed: changed, deleted: deleted, isAmidstList ? nil : page.position)
            if !page.moreComing { return }
            position = page.position
        }
    }

    /// The local zones that the server has had.
    private func knownZones() async throws -> Set<RecordZone.ID> {
        let new = try await store.zones().filter { $0.change != nil || $0.isLost }.map(\.zoneID)
        return Set(try await store.localZoneIDs()).subtracting(new)
    }

    private func apply(
        changed: [RecordZone.ID], deleted: [(id: RecordZone.ID, reason: DatabaseChange.Deletion.Reason)],
        _ place: FeedPosition?
    ) async throws {
        if changed.isEmpty, deleted.isEmpty { return try await keep(place, staleZones: []) }
        let known = Dictionary(
            try await store.zones().map { ($0.zoneID, $0) }, uniquingKeysWith: { first, _ in first })
        func isDeletedHere(_ id: RecordZone.ID) -> Bool { known[id]?.isReplaced == true }
        func isNewHere(_ id: RecordZone.ID) -> Bool { known[id]?.change == .save && known[id]?.position == nil }
        let deleted = deleted.filter { !isDeletedHere($0.id) && !isNewHere($0.id) }
        let existing = try await existingZones(among: deleted.map(\.id))
        for (id, reason) in deleted {
            let loss = MirrorZoneLoss(context, id, reason)
            if !existing.contains(id) {
                try await loss.run()
            } else if let position = known[id]?.position, try await !isValid(position, in: id) {
                try await loss.runForNewZone()
            }
        }
        var new: [RecordZone.ID] = []
        for id in changed where !isDeletedHere(id) {
            if !(try await store.exists(id)) { new.append(id) }
        }
        try await store.change(creating: new, deleting: [])
        // A zone that is deleted here may already be another client's new one, which no later list reports.
        try await keep(place, staleZones: changed)
    }

    private func existingZones(among ids: [RecordZone.ID]) async throws -> Set<RecordZone.ID> {
        if ids.isEmpty { return [] }
        var request = FetchZonesRequest(in: context.scope)
        request.zoneIDs = ids
        return Set(try await context.ask(request).results.compactMap { try? $0.get().zoneID })
    }

    /// Whether a zone that was deleted and exists again is the one that was fetched last.
    ///
    /// This mirror may have created it, and fetched it before the list reports the earlier deletion.
    private func isValid(_ position: FeedPosition, in zoneID: RecordZone.ID) async throws -> Bool {
        // A zone that is shared again has the records that it had, and edits of them are merged.
        guard context.scope == .private else { return true }
        var request = FetchZoneChangesRequest(in: context.scope)
        (request.zoneID, request.since, request.desiredKeys, request.resultsLimit) = (zoneID, position, [], 1)
        do {
            _ = try await context.ask(request)
            return true
        } catch let error as CabinetError where error.code == .changeTokenExpired {
            return false
        } catch CabinetError.Code.zoneNotFound {
            // The next list reports the deletion.
            return true
        }
    }

    private func keep(_ place: FeedPosition?, staleZones: [RecordZone.ID]) async throws {
        var write = MirrorWrite()
        write.position = (place, staleZones)
        try await context.apply(write)
    }

    private func fetchRecords(of zone: MirrorZone, before others: ArraySlice<MirrorZone>) async throws {
        var (position, rebuildStart, isStale) = (zone.position, zone.rebuildStart, zone.isStale)
        var count = zone.fetchedCount
        var limit = context.configuration.pageSize
        while isStale {
            try Task.checkCancellation()
            var request = FetchZoneChangesRequest(in: context.scope)
            request.zoneID = zone.zoneID
            request.since = position
            request.resultsLimit = limit
            context.sendLearning.begin()
            let page: FetchZoneChangesRequest.Response
            do {
                page = try await context.ask(request)
            } catch let error as CabinetError where error.code == .changeTokenExpired && position != nil {
                // The zone may have been created again since the list, which is recognized while the position is known.
                if context.scope == .private { try await fetchZones() }
                position = nil
                try await context.change(zone.zoneID) { if !$0.isReplaced { $0.position = nil } }
                continue
            } catch let error as CabinetError where error.code == .limitExceeded && limit > 1 {
                // A page of large records can be longer than a response.
                limit /= 2
                continue
            } catch let error as CabinetError where error.code == .zoneNotFound {
                // The next fetch of zones reports the deletion.
                return try await context.change(zone.zoneID) { $0.isStale = false }
            }
            if position == nil, !(try await store.exists(zone.zoneID)) {
                // It was reported before this mirror's deletion of the former zone had ended.
                try await store.change(creating: [zone.zoneID], deleting: [])
            }
            // Without a position, the server reports no deletions: what it does not return of what it has had is deleted at the end.
            let start = position == nil ? try await store.lastNumber() : rebuildStart
            let next = (position == nil ? 0 : count) + Int64(page.records.count { !$0.isOfStore })
            guard try await apply(page, of: zone.zoneID, rebuildStart: start, count: next) else { continue }
            (position, isStale, rebuildStart, count) = (page.position, page.moreComing, start, next)
            if start != nil, isStale { await progress.expect([zone] + others, after: page, context) }
            progress.show(in: context)
        }
        if let rebuildStart { try await removeMissing(in: zone.zoneID, through: rebuildStart) }
    }

    /// Applies a page with its position.
    ///
    /// - Returns: `false` if a send has learned something of its records since, so that the page is fetched again.
    private func apply(
        _ page: FetchZoneChangesRequest.Response, of zoneID: RecordZone.ID, rebuildStart: Int64?,
        count: Int64
    ) async throws -> Bool {
        var write = MirrorWrite()
        let records = page.records.filter { !$0.isOfStore }
        let saved = Set(records.map(\.recordID))
        let deleted = page.deletions.map(\.recordID).filter { !saved.contains($0) }
        write.events =
            records.map { selection.includes($0) ? .saved($0) : .excluded($0) } + deleted.map(MirrorEvent.deleted)
        let (place, moreComing) = (page.position, page.moreComing)
        write.zone = (
            zoneID,
            { zone in
                if zone.isReplaced { return }
                zone.position = place
                zone.isStale = moreComing
                (zone.rebuildStart, zone.fetchedCount) = (rebuildStart, count)
                zone.isLost = false
            }
        )
        guard try await context.applyFetched(write) else { return false }
        progress.add(write.events.count)
        return true
    }

    /// Deletes the records that the server no longer has, after the whole zone was fetched again.
    ///
    /// The server is asked for records that it has not returned, so that no list of all records is needed.
    private func removeMissing(in zoneID: RecordZone.ID, through last: Int64) async throws {
        var number: Int64? = 0
        while let start = number {
            try Task.checkCancellation()
            context.sendLearning.begin()
            let page = try await store.serverRecords(in: zoneID, after: start, through: last, limit: 200)
            if try await removeMissing(among: page.ids) { number = page.next }
        }
        var position: RecordID?
        while true {
            try Task.checkCancellation()
            context.sendLearning.begin()
            let page = try await store.pending(after: position, limit: 200)
            let known = page.filter { $0.change.ancestor != nil && $0.change.recordID.zoneID == zoneID }
            guard try await removeMissing(among: known.map(\.change.recordID)) else { continue }
            position = page.last?.change.recordID
            if page.count < 200 { break }
        }
        // The server may have had the records of a request without an answer too. They are read again after the answer if it lacks them.
        var unanswered: [RecordID] = []
        repeat {
            try Task.checkCancellation()
            context.sendLearning.begin()
            unanswered = try await store.batch()?.recordIDs.filter { $0.zoneID == zoneID } ?? []
        } while try await !removeMissing(among: unanswered)
        try await context.change(zoneID) { $0.rebuildStart = nil }
    }

    /// Deletes the records that the server does not have.
    ///
    /// - Returns: `false` if a send has learned something of them since, so that they are asked for again.
    private func removeMissing(among ids: [RecordID]) async throws -> Bool {
        if ids.isEmpty { return true }
        let results = try await context.records(ids, desiredKeys: [])
        var write = MirrorWrite()
        for (id, result) in zip(ids, results) where result.code == .unknownItem { write.events.append(.deleted(id)) }
        if write.events.isEmpty { return true }
        return try await context.applyFetched(write)
    }
}

extension Record {
    /// Whether each store has its own such record: the users' records, and the shares, which a server manages.
    var isOfStore: Bool { recordType == "Users" || recordType == Share.recordType }
}
