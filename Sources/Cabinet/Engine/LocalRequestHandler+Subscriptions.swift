extension LocalRequestHandler {
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
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
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        let ids = request.subscriptionsToSave.map(\.subscriptionID) + request.subscriptionIDsToDelete
        try checkCount(ids.count)
        var seen: Set<Subscription.ID> = []
        for id in ids where !seen.insert(id).inserted {
            throw CabinetError(
                .invalidArguments, "The request names the subscription '\(id)' twice; it can be saved or deleted once.")
        }
        if ids.isEmpty { return ModifySubscriptionsRequest.Response() }
        try await prepare(database)
        let subscriptions = request.subscriptionsToSave.map(ownerRule.canonical)
        return try await write(database) { [strictSchema, roles] transaction, _ in
            let zoneIDs = Array(Set(subscriptions.compactMap(SubscriptionRule.zoneID)))
            let values = try await transaction.load(
                StorageKeys(
                    entries: zoneIDs.map(StoredZone.key), entryRanges: [StoredSubscription.keys(of: user)]))
            let schema = values.schema
            let permissions = try await permissions(in: request.scope, schema, from: transaction)
            let stored = zip(zoneIDs, values.entries).filter { $1 != nil }.map(\.0)
            let missing = ZoneRule.missing(zoneIDs, in: request.scope, stored: Set(stored).contains)
            let known = Set((values.entryRanges.first ?? []).compactMap { $0.key.names.last })
            var kept = known.subtracting(request.subscriptionIDsToDelete)
            var response = ModifySubscriptionsRequest.Response()
            var new: [StoredSubscription] = []
            for subscription in subscriptions {
                var violation = SubscriptionRule.violation(saving: subscription, in: request.scope)
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
                known.contains(id) ? nil : SubscriptionRule.unknown(id, in: request.scope)
            }
            let old = request.subscriptionIDsToDelete.filter(known.contains)
            let mutations =
                old.map { StorageMutation.setEntry(StoredSubscription.key($0, of: user), nil) }
                + (try new.map {
                    .setEntry(
                        StoredSubscription.key($0.subscription.subscriptionID, of: user), try StorageEntry.text(of: $0))
                })
            if !mutations.isEmpty { try await transaction.apply(mutations) }
            return response
        }
    }
}
