extension BatchPlanner {
    /// The result of a batch.
    struct Outcome: Sendable {
        let plan: BatchPlan

        /// A position before all changes that skips the deletions made before the batch.
        let place: FeedPosition
    }

    /// Loads the values that the plan is based on, plans the batch, and applies the plan.
    ///
    /// A batch that deletes nothing makes two calls: one load and one application. Deletions also load references, level by
    /// level.
    ///
    /// - Parameters:
    ///   - transaction: The transaction to apply the plan in.
    ///   - deviceID: The device that makes the changes, for notifications.
    ///   - retention: The limits up to which deletions and notifications are remembered.
    ///   - subscriptionCache: Decodes the subscriptions of the database.
    func run(
        in transaction: any StorageTransaction, deviceID: String, retention: ChangeRetention,
        subscriptionCache: SubscriptionCache
    ) async throws -> Outcome {
        var known = try await load(from: transaction)
        let start = known.state.lastSequenceNumber
        var planner = self
        var plan = planner.plan(known)
        if uploads != nil {
            try await AssetRule.check(plan, planner.saveRule.permissions, known.schema, in: transaction)
        }

        let subscriptions = subscriptionCache.subscriptions(in: known.subscriptionEntries)
        var notifier = Notifier(
            subscriptions, in: saveRule.database, rules: known.rules, deviceID: deviceID, date: saveRule.now)
        notifier?.add(plan, schema: known.schema)
        try known.state.checkNumbers(plan.changeCount + (notifier?.count ?? 0))
        let timeline = try await plan.isEmpty ? [] : known.state.beginTimeline(on: known.origin, in: transaction)
        var mutations = plan.mutations(&known, date: saveRule.now)
        mutations += timeline
        mutations += try notifier?.mutations(&known.state) ?? []
        if !plan.isEmpty { mutations.append(known.state.mutation) }
        if plan.failures.isEmpty { mutations += request.entries.map { .setEntry($0.key, $0.value) } }
        if !mutations.isEmpty { try await transaction.apply(mutations) }

        try await AssetRule.removeUnused(plan.releasedAssets, in: transaction)
        try await retention.forget(
            Set(plan.deletions.map(\.recordID.zoneID)), notifier?.notifiedUsers ?? [],
            numbers: start..<known.state.lastSequenceNumber, at: saveRule.now, in: transaction)
        return Outcome(plan: plan, place: ChangeFeedRule.place(afterSavingSince: start, at: known.state.end))
    }

    /// Loads the values that the plan is based on, in one call unless it deletes records, counts references, or saves unique values.
    private func load(from transaction: any StorageTransaction) async throws -> KnownBatch {
        var known = try KnownBatch(try await transaction.load(keys.storageKeys), for: keys, index)
        try await known.loadCascade(of: request.recordIDsToDelete, from: transaction)
        if limits.ownedRecordsPerRecord != nil {
            try await known.loadReferences(to: request.ownedTargets, from: transaction)
        }
        let values = known.rules.types.isEmpty ? [] : uniqueValues(known)
        if !values.isEmpty { known.holders = try await transaction.holders(of: values, in: known.schema) }
        return known
    }
}
