extension LocalRequestHandler {
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        let (database, user) = try databaseToWrite(request.scope)
        try checkCount(request.subscriptionIDs?.count ?? 0)
        let found = try await read(database) { try await $0.subscriptions(of: user) }.map(\.subscription)
        guard let ids = request.subscriptionIDs else {
            let sorted = found.sorted { Ordering($0.subscriptionID, $1.subscriptionID) == .before }
            return FetchSubscriptionsRequest.Response(results: sorted.map(Result.success))
        }
        let known = Dictionary(found.map { ($0.subscriptionID, $0) }, uniquingKeysWith: { first, _ in first })
        return FetchSubscriptionsRequest.Response(
            results: ids.map { id in
                known[id].map(Result.success) ?? .failure(SubscriptionRule.unknown(id, in: request.scope))
            })
    }

    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        let (database, user) = try databaseToWrite(request.scope)
        let ids = request.subscriptionsToSave.map(\.subscriptionID) + request.subscriptionIDsToDelete
        try checkCount(ids.count)
        try checkOnce(ids, "subscription")
        if ids.isEmpty { return ModifySubscriptionsRequest.Response() }
        try await prepare(database)
        let subscriptions = request.subscriptionsToSave.map(ownerRule.canonical)
        // The copy of a shared database takes what that database takes.
        let scope = service.mirroredScope ?? request.scope
        return try await write(database) { [strictSchema, roles, cache = service.subscriptionCache] transaction, _ in
            let zoneIDs = Array(Set(subscriptions.compactMap(SubscriptionRule.zoneID)))
            let values = try await transaction.load(
                StorageKeys(
                    entries: zoneIDs.map(StoredZone.key),
                    entryRanges: [
                        StoredSubscription.userKeys(of: user), SchemaRules.keysWithEarlierSubscriptions,
                    ]))
            let (rules, earlier) = try SchemaRules.separated(from: values.entryRanges.last ?? [])
            let schema = values.schema
            let permissions = PermissionRule(database, user: user, roles: roles, rules: rules)
            let stored = zip(zoneIDs, values.entries).filter { $1 != nil }.map(\.0)
            let missing = ZoneRule.missing(zoneIDs, stored: Set(stored).contains)
            let moved = LoadedSubscriptions(of: database, earlier: earlier, cache: cache).earlier
            let known = Self.keys(values.entryRanges.first ?? [], earlier: earlier, moved, of: user)
            var kept = Set(known.keys).subtracting(request.subscriptionIDsToDelete)
            var response = ModifySubscriptionsRequest.Response()
            var new: [StoredSubscription] = []
            for subscription in subscriptions {
                var violation = SubscriptionRule.violation(saving: subscription, in: scope)
                if violation == nil, let zoneID = SubscriptionRule.zoneID(of: subscription), missing.contains(zoneID) {
                    violation = ZoneRule.notFound(zoneID, in: request.scope)
                }
                violation = violation ?? strictSchema?.rule.violation(saving: subscription)
                violation = violation ?? SubscriptionRule.violation(saving: subscription, schema: schema)
                if let recordType = SubscriptionRule.recordType(of: subscription) {
                    violation = violation ?? permissions.violation(of: .read, on: recordType)
                }
                let id = subscription.subscriptionID
                if !kept.contains(id) {
                    violation = violation ?? SubscriptionCost.violation(saving: id, asNumber: kept.count + 1)
                }
                response.saveResults.append(violation.map(Result.failure) ?? .success(subscription))
                if violation == nil { kept.insert(id) }
                if violation == nil {
                    new.append(StoredSubscription(userName: user, subscription: subscription, roles: roles))
                }
            }
            response.deleteErrors = request.subscriptionIDsToDelete.map { id in
                known[id] != nil ? nil : SubscriptionRule.unknown(id, in: request.scope)
            }
            var changes = SubscriptionMutations()
            try changes.move(moved)
            for id in request.subscriptionIDsToDelete {
                if let key = known[id] { changes.remove(key, id: id, of: user) }
            }
            for stored in new {
                if let key = known[stored.subscription.subscriptionID], key != stored.key { changes.remove(key) }
                try changes.add(stored)
            }
            let mutations = try await changes.mutations(in: transaction)
            if !mutations.isEmpty { try await transaction.apply(mutations) }
            return response
        }
    }

    /// Returns the keys under which a user's subscriptions are stored, or will be after a move, by their IDs.
    private static func keys(
        _ entries: [StorageEntry], earlier: [StorageEntry], _ moved: [StoredSubscription], of user: String
    ) -> [Subscription.ID: StorageKey] {
        var keys: [Subscription.ID: StorageKey] = [:]
        for entry in earlier where StoredSubscription.earlierKeys(of: user).contains(entry.key) {
            if let id = entry.key.names.last { keys[id] = entry.key }
        }
        for entry in entries {
            if let id = entry.key.names.last { keys[id] = StorageKey(entry.text) }
        }
        for stored in moved where stored.userName == user { keys[stored.subscription.subscriptionID] = stored.key }
        return keys
    }
}
