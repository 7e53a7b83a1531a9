extension LocalDatabaseService {
    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.subscriptionIDs?.count ?? 0)
        let found = try await read(database) { try await $0.subscriptions(of: user) }
        var results: [Subscription.ID: Result<Subscription, CabinetError>] = [:]
        for id in request.subscriptionIDs ?? [] {
            results[id] = .failure(SubscriptionRule.unknown(id, in: request.scope))
        }
        for subscription in found.map(\.subscription) {
            let id = subscription.subscriptionID
            if request.subscriptionIDs == nil || results[id] != nil { results[id] = .success(subscription) }
        }
        return results
    }

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        let ids = request.subscriptionsToSave.map(\.subscriptionID) + request.subscriptionIDsToDelete
        try checkCount(ids.count)
        var seen: Set<Subscription.ID> = []
        for id in ids where !seen.insert(id).inserted {
            throw CabinetError(
                .invalidArguments, "The request names the subscription '\(id)' twice; it can be saved or deleted once.")
        }
        if ids.isEmpty { return ModifySubscriptionsResponse() }
        try await prepare(database)
        let subscriptions = request.subscriptionsToSave.map(ownerRule.canonical)
        return try await write(database) { [strictSchema, roles = accountRule.account?.roles ?? []] transaction, _ in
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
            var response = ModifySubscriptionsResponse()
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
                response.saveResults[id] = violation.map(Result.failure) ?? .success(subscription)
                if violation == nil { kept.insert(id) }
                if violation == nil {
                    new.append(StoredSubscription(userName: user, subscription: subscription, roles: roles))
                }
            }
            for id in request.subscriptionIDsToDelete {
                response.deleteResults[id] =
                    known.contains(id) ? .success(()) : .failure(SubscriptionRule.unknown(id, in: request.scope))
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
