import Foundation

/// A request to save and delete records, as it runs in one transaction.
struct Batch: Sendable {
    let planner: BatchPlanner
    /// The device that makes the changes, for notifications.
    let caller: Caller
    let subscriptionCache: SubscriptionCache
    /// Whether the changes have to be sent to the server of a mirror.
    var isPending = false
    /// The schema to read again before a field of it is added to the database; `nil` if it is current.
    var schemaToRead: StrictSchema?

    /// The result of a batch.
    struct Outcome: Sendable {
        let plan: BatchPlan

        /// A position before all changes that skips the deletions made before the batch.
        let position: FeedPosition

        /// The work that the batch leaves to a later transaction.
        let cleanup: Cleanup

        /// The assets of the plan's records that are neither stored nor uploaded; if there are any, nothing was changed.
        var missingAssets: Set<StoredAsset> = []

        /// The error of a transaction's read that has changed; if there is one, nothing was changed.
        var conflict: CabinetError?

        /// The response to an earlier request with the same ID; if there is one, nothing was changed.
        var reply: ModifyRecordsRequest.Response?
    }

    /// Loads the values that the plan is based on, plans the batch, and applies the plan.
    ///
    /// A batch that deletes nothing makes two calls: one load and one application. Deletions also load references, level by
    /// level, and the subscriptions to their types. Subscriptions that have changed are loaded once more. No read follows the
    /// application.
    ///
    /// The records that a transaction has read are part of the load. Its queries are judged by further reads, unless the database
    /// has not changed since.
    ///
    /// - Parameters:
    ///   - transaction: The transaction to apply the plan in.
    ///   - meter: The meter of the request, whose cancellation ends a long cascade soon.
    /// - Throws: ``OutdatedSchemaError`` if the batch adds a field of ``schemaToRead`` to the database.
    func run(in transaction: any StorageTransaction, meter: WorkMeter) async throws -> Outcome {
        var known = try await load(from: transaction, meter)
        let start = known.state.lastSequenceNumber
        var planner = planner
        let (database, date) = (planner.saveRule.database, planner.saveRule.now)
        func unchanged() -> Outcome {
            let position = FeedPosition(number: start, tombstoneHorizon: start, end: known.state.end)
            return Outcome(plan: BatchPlan(), position: position, cleanup: Cleanup(numbers: start..<start, date: date))
        }
        if let reply = known.reply {
            var outcome = unchanged()
            outcome.reply = try RecordedReply.response(reply)
            return outcome
        }
        try await transaction.check(planner.request.step)
        if let conflict = try await conflict(known, in: transaction, meter) {
            var outcome = unchanged()
            outcome.conflict = conflict
            return outcome
        }
        var plan = try planner.plan(known, meter)
        if let schemaToRead, plan.adds(to: schemaToRead.schema) { throw OutdatedSchemaError() }
        let permissions = planner.saveRule.permissions
        func position() -> FeedPosition {
            ChangeFeedRule.position(afterSavingSince: start, at: known.state.end, readAccess: permissions.readAccess)
        }
        let missing =
            planner.hasAssets
            ? try await AssetRule.missingAssets(of: plan, permissions, known.schema, in: transaction) : []
        if !missing.isEmpty {
            return Outcome(
                plan: plan, position: position(), cleanup: Cleanup(numbers: start..<start, date: date),
                missingAssets: missing
            )
        }

        var notifier = Notifier(
            known.subscriptions, in: database, rules: known.rules, deviceID: caller.deviceID, date: date)
        notifier?.add(plan, schema: known.schema)
        try known.state.checkNumbers(plan.changeCount + plan.moves.count + (notifier?.count ?? 0))
        let timeline = try await plan.isEmpty ? [] : known.state.beginTimeline(on: known.origin, in: transaction)
        var mutations = try plan.mutations(&known, date: date)
        mutations += timeline
        if let notifier, !plan.isEmpty { mutations += try known.subscriptions.mutations(removingExpired: notifier) }
        mutations += try notifier?.mutations(&known.state) ?? []
        if !plan.isEmpty { mutations.append(known.state.mutation) }
        let cleanup = Cleanup(
            numbers: start..<known.state.lastSequenceNumber, date: date, assets: plan.releasedAssets,
            zoneIDs: Set(plan.deletions.map(\.recordID.zoneID)).union(plan.zonesWithMoves),
            users: notifier?.notifiedUsers ?? [])
        mutations += cleanup.mutations
        if isPending {
            mutations += try await plan.pendingChanges(
                deleting: planner.request.recordIDsToDelete, number: known.state.lastSequenceNumber, in: transaction)
        }
        if plan.failures.isEmpty {
            mutations += planner.request.entries.map { .setEntry($0.key, $0.value) } + planner.request.step.mutations
        }
        // A request that changes nothing can run again.
        if let key = planner.keys.replies.first, !plan.isEmpty || planner.request.step != nil {
            let response = plan.response(to: planner.request, planner.index, at: position())
            mutations.append(.setEntry(key, try RecordedReply.text(response)))
        }
        try await transaction.delete(plan.groups, date: date, meter)
        try await transaction.apply(mutations, meter)
        return Outcome(plan: plan, position: position(), cleanup: cleanup)
    }

    /// Returns the error of a transaction's read that has changed.
    private func conflict(
        _ known: KnownBatch, in transaction: any StorageTransaction, _ meter: WorkMeter
    ) async throws -> CabinetError? {
        guard let reads = planner.request.reads else { return nil }
        var permissions = planner.saveRule.permissions
        permissions.rules = known.rules
        permissions.access = known.access
        guard let access = known.access, access.isPartial else {
            return try await reads.conflict(
                at: known.state.end, permissions, known.schema, known.records(of: reads), meter, in: transaction)
        }
        return try await reads.conflict(
            at: known.state.end, permissions, known.schema,
            known.records(of: reads).filter { access.canRead($0.value) }, meter,
            in: ParticipantSnapshot(transaction, user: planner.saveRule.user))
    }

    /// Loads the values that the plan is based on, in one call unless it deletes records, counts references, or saves unique values.
    private func load(from transaction: any StorageTransaction, _ meter: WorkMeter) async throws -> KnownBatch {
        let request = planner.request
        var known = try KnownBatch(
            try await transaction.load(planner.keys.storageKeys), for: planner.keys, planner.index,
            in: planner.saveRule.database, subscriptionCache)
        known.hideRecords(planner.index)
        if !isPending { try await known.loadGroups(of: request, from: transaction, meter) }
        try await known.loadCascade(of: request, from: transaction, meter)
        try await known.loadHierarchy(of: planner, from: transaction, meter)
        try await known.loadSubscriptions(of: request, from: transaction)
        if !known.groups.isEmpty, !known.subscriptions.subscribers.isEmpty {
            // A notification has values of its record.
            known.groups = []
            try await known.loadCascade(of: request, from: transaction, meter)
            try await known.loadSubscriptions(of: request, from: transaction)
        }
        if planner.limits.ownedRecordsPerRecord != nil {
            try await known.loadReferences(to: Array(request.recordsByOwner.keys), from: transaction)
        }
        let values = known.rules.types.isEmpty ? [] : planner.uniqueValues(known)
        if !values.isEmpty { known.holders = try await transaction.holders(of: values, in: known.schema) }
        return known
    }
}

extension BatchPlan {
    /// Whether the plan adds a type or a field of a schema.
    fileprivate func adds(to schema: Schema) -> Bool {
        schemaAdditions.contains { type, fields in
            guard let declared = schema.recordTypes[type] else { return false }
            return fields.isEmpty || fields.contains { declared.fields[$0.name] != nil }
        }
    }
}

extension StorageTransaction {
    /// Deletes the records of groups in pages, between which a cancelled request ends.
    func delete(_ groups: [(group: ReferrerGroup, number: Int64)], date: Date, _ meter: WorkMeter) async throws {
        for (group, number) in groups {
            for start in stride(from: 0, to: group.count, by: KnownBatch.groupPageSize) {
                try meter.checkCancellation()
                let count = min(group.count - start, KnownBatch.groupPageSize)
                try await abilities.referrers?.delete(group, count: count, from: number + Int64(start), date: date)
            }
        }
    }

    /// Applies mutations in pages, between which a cancelled request ends.
    func apply(_ mutations: [StorageMutation], _ meter: WorkMeter) async throws {
        for page in mutations.parts(of: KnownBatch.pageSize) {
            try meter.checkCancellation()
            // Nearly every batch is one page, which is not copied.
            try await apply(page.count == mutations.count ? mutations : Array(page))
        }
    }
}
