import Foundation

/// One transaction of a mirror: what it has learned, with the position up to which it has learned it.
package struct MirrorWrite: Sendable {
    /// The events to apply, each record once.
    ///
    /// Events in zones that were deleted locally are left out.
    package var events: [MirrorEvent] = []

    /// The request that the events answer, which is then no longer under way.
    package var batch: MirrorBatch?

    /// The version of the store in which the records of the answered request have not changed since they were read.
    ///
    /// If the store still has it, they are not read again.
    package var batchVersion: MirrorVersion?

    /// The records that were read again, because a fetch had brought a version of them before an answer.
    package var reread: [RecordID] = []

    /// A zone, with the change of what is known of it.
    package var zone: (id: RecordZone.ID, change: @Sendable (inout MirrorZone) -> Void)?

    /// The position in the list of changed zones, with the zones that have changes to fetch.
    ///
    /// The position is `nil` amidst a list of all zones, so that it begins again after an interruption.
    package var position: (place: FeedPosition?, staleZones: [RecordZone.ID])?

    /// A request to remember before it is sent.
    package var newBatch: MirrorBatch?

    /// A text that describes which records the program mirrors, after it has changed: the zones are listed again.
    package var selection: String?

    /// The state of the queries for the records of the public database.
    package var queries: MirrorQueries?

    /// The container of the server that the copy belongs to from now on.
    package var server: String?

    /// Whether the events are older than what another task has applied in between, asked in the transaction.
    package var isOutdated: (@Sendable () -> Bool)?

    /// The records whose assets need not be fetched any more.
    package var endedAssets: [WantedAssets] = []

    /// The lease of the process; `nil` for what the program asks for, and for what no lease protects.
    package var lease: MirrorLease?

    /// Creates a transaction that changes nothing.
    package init() {}
}

/// The result of a mirror's transaction.
package struct MirrorOutcome: Sendable {
    /// The numbers of pending changes after the transaction.
    package let pending: PendingState

    /// Whether records are read again: fetched versions have waited for the answer, or only the server knows what its delete rules have
    /// done; `nil` if the transaction answers no request.
    package let hasRereads: Bool?

    /// The version of the store before the transaction, or after it if it has changed records that no event names.
    package let before: MirrorVersion

    /// The version of the store after the transaction.
    package let after: MirrorVersion
}

extension MirrorStore {
    /// Carries out a transaction.
    ///
    /// The server has judged what it sends: references, permissions and unique values are not judged again. Each record that changes has
    /// a new local number, so live queries, subscriptions and change tokens report it. One that only becomes known to the server keeps
    /// its number.
    ///
    /// A version of the server that does not fit the local schema is set aside with the error: it is an incoming change.
    ///
    /// - Returns: `nil` if the events were outdated, and nothing was changed.
    /// - Throws: ``CabinetError/Code/zoneBusy`` if another process has the lease, and the failures of the store.
    @discardableResult
    package func apply(_ write: MirrorWrite) async throws -> MirrorOutcome? {
        let request = write.request
        let index = try BatchIndex(request)
        let date = service.now()
        let result = try await handler.write(database) { [self] transaction, meter in
            try await apply(write, request, index, date, in: transaction, meter)
        }
        guard let (outcome, cleanup) = result else { return nil }
        if handler.needs(cleanup) { await handler.cleanUp(cleanup, in: database) }
        return outcome
    }

    private func apply(
        _ write: MirrorWrite, _ request: ModifyRecordsRequest, _ index: BatchIndex, _ date: Date,
        in transaction: any StorageTransaction, _ meter: WorkMeter
    ) async throws -> (MirrorOutcome, Cleanup)? {
        let user = handler.userRecordName ?? ""
        let keys = BatchKeys(request, index, failures: [:], user: user, needsUserRecord: false, replies: [])
        var storageKeys = keys.storageKeys
        if write.batchVersion != nil { storageKeys.records = [] }
        var known = try KnownBatch(
            try await transaction.load(storageKeys), for: keys, index, in: database, service.subscriptionCache)
        let before = MirrorVersion(known.state, known.schema)
        let isUnchanged = write.batchVersion == before
        if isUnchanged {
            write.batch?.forEachItem(of: index) { known.stored[$0] = $1.stored }
        } else if write.batchVersion != nil {
            let records = try await transaction.load(StorageKeys(records: index.ids)).records
            for (position, record) in records.enumerated() { known.stored[position] = record }
        }
        let entries = try await MirrorEntries(write, index, isUnchanged: isUnchanged, in: transaction)
        if let lease = write.lease { try lease.check(entries.lease, at: date) }
        // Two transactions follow each other, so no answer can be applied between this check and the events.
        if let isOutdated = write.isOutdated, isOutdated() { return nil }
        try await known.loadSubscriptions(of: request, from: transaction)

        let start = known.state.lastSequenceNumber
        let rule = MirrorRule(
            policy: policy, date: date, user: user, number: start + 1,
            createsZones: service.mirroredScope != .shared)
        var changes = MirrorChanges(known.schema, known.rules, entries.counts, number: start + 1)
        var states = PerRecord<MirrorRule.State>(index)
        var oldStates = PerRecord<MirrorRule.State>(index)
        var affected = AffectedRecords(rule)
        var ahead: [RecordID] = []
        func state(at position: Int) -> MirrorRule.State? {
            let zoneID = index.ids[position].zoneID
            guard zoneID == .default || known.zones[zoneID] != nil, !entries.isReplaced(zoneID) else { return nil }
            return MirrorRule.State(record: known.stored[position], change: entries.changes[position])
        }
        var next = 0
        for event in write.events {
            let event = event.concealed
            let id = event.recordID
            guard let position = index.position(of: id, expectedAt: next) else { continue }
            next = position + 1
            let earlier = states[position]
            if earlier == nil { oldStates[position] = state(at: position) }
            guard let state = earlier ?? oldStates[position] else { continue }
            let sent = entries.sent[position]
            if write.batch == nil, let sent, rule.isAhead(event, of: sent, in: state) {
                ahead.append(id)
                continue
            }
            var new = rule.state(after: event, from: state, sent: sent)
            if earlier != nil { new.hasOldContent = false }
            affected.add(event, from: state, to: &new)
            states[position] = new
        }
        if affected.isNeeded {
            for position in index.ids.indices where states[position] == nil {
                oldStates[position] = oldStates[position] ?? state(at: position)
                states[position] = oldStates[position]
            }
            try await affected.endEffects(&states, index, in: transaction)
            let types = Set(affected.others.flatMap { [$0.old.record, $0.new.record] }.compactMap { $0?.recordType })
            try await known.subscriptions.load(SubscriptionTopic.topics(of: types.sorted(), in: []), from: transaction)
        }
        for position in index.ids.indices {
            if let new = states[position], let old = oldStates[position] { try changes.add(new, replacing: old) }
        }
        for (old, new) in affected.others { try changes.add(new, replacing: old) }

        var plan = changes.plan
        var notifier = Notifier(
            known.subscriptions, in: database, rules: known.rules, deviceID: handler.caller.deviceID, date: date)
        notifier?.add(plan, schema: known.schema)
        try known.state.checkNumbers(plan.changeCount + 1 + (notifier?.count ?? 0))
        var mutations = try await known.state.beginTimeline(on: known.origin, in: transaction)
        // Pending changes have the number of the transaction, also if no record changes.
        if plan.isEmpty { known.state.lastSequenceNumber += 1 }
        mutations += try plan.mutations(&known, date: date) + changes.quietUpdates
        if let notifier, !plan.isEmpty { mutations += try known.subscriptions.mutations(removingExpired: notifier) }
        mutations += try notifier?.mutations(&known.state) ?? []
        mutations.append(known.state.mutation)
        let cleanup = Cleanup(
            numbers: start..<known.state.lastSequenceNumber, date: date, assets: plan.releasedAssets,
            zoneIDs: Set(plan.deletions.map(\.recordID.zoneID)), users: notifier?.notifiedUsers ?? [])
        mutations += cleanup.mutations + changes.entries
        var counts = changes.counts
        mutations += try entries.mutations(of: write, ahead + affected.rereads, &counts)
        if let lease = write.lease { mutations.append(lease.mutation(at: date)) }
        let assets = try await WantedAssets.mutations(
            of: write, plan, number: known.state.lastSequenceNumber, policy, in: transaction)
        mutations += assets.mutations
        try await transaction.apply(mutations, meter)
        let after = MirrorVersion(known.state, known.schema.adding(plan.schemaAdditions))
        let outcome = MirrorOutcome(
            pending: PendingState(
                counts: counts, number: known.state.lastSequenceNumber, lacksAssets: assets.remain),
            hasRereads: write.batch == nil ? nil : entries.hasRereads || !affected.rereads.isEmpty,
            before: affected.others.isEmpty ? before : after, after: after)
        return (outcome, cleanup)
    }
}

extension MirrorWrite {
    /// A request with the records of the events and of the answered request, for what the core loads for a request.
    fileprivate var request: ModifyRecordsRequest {
        var request = ModifyRecordsRequest(in: .private)
        // Most answers are those to all records, in the order of the request.
        if let batch, events.count == batch.count, zip(events, batch.recordIDs).allSatisfy({ $0.recordID == $1 }) {
            for event in events { request.add(event) }
            return request
        }
        var seen: Set<RecordID> = []
        for event in events where seen.insert(event.recordID).inserted { request.add(event) }
        guard let sent = batch?.request else { return request }
        request.recordsToSave += sent.recordsToSave.filter { seen.insert($0.recordID).inserted }
        request.recordIDsToDelete += sent.recordIDsToDelete.filter { seen.insert($0).inserted }
        return request
    }
}

extension ModifyRecordsRequest {
    /// Adds the record of an event.
    fileprivate mutating func add(_ event: MirrorEvent) {
        switch event {
        case .saved(let record), .sent(let record), .excluded(let record): recordsToSave.append(record)
        default: recordIDsToDelete.append(event.recordID)
        }
    }
}
