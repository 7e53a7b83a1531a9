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
        return try await write(database) { [strictSchema] transaction in
            let schema = try await transaction.schema()
            let zoneIDs = Set(subscriptions.compactMap(SubscriptionRule.zoneID))
            let missing = try await ZoneRule.missing(zoneIDs, in: request.scope, transaction)
            let known = Set(try await transaction.subscriptions(of: user).map(\.subscription.subscriptionID))
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
                let id = subscription.subscriptionID
                if !kept.contains(id) {
                    violation = violation ?? SubscriptionCost.violation(saving: id, asNumber: kept.count + 1)
                }
                response.saveResults[id] = violation.map(Result.failure) ?? .success(subscription)
                if violation == nil { kept.insert(id) }
                if violation == nil { new.append(StoredSubscription(userName: user, subscription: subscription)) }
            }
            for id in request.subscriptionIDsToDelete {
                response.deleteResults[id] =
                    known.contains(id) ? .success(()) : .failure(SubscriptionRule.unknown(id, in: request.scope))
            }
            let old = request.subscriptionIDsToDelete.filter(known.contains)
            if !old.isEmpty { try await transaction.removeSubscriptions(old, of: user) }
            if !new.isEmpty { try await transaction.put(new) }
            return response
        }
    }
}
