import Cabinet
import Foundation

extension CKDatabase {
    /// Fetches all subscriptions of the user in this database.
    @discardableResult
    public func allSubscriptions() async throws -> [CKSubscription] {
        try await CKError.translate { try await store().database.allSubscriptions().map(CKSubscription.object) }
    }

    /// Fetches a subscription by ID.
    ///
    /// - Throws: ``CKError/Code/unknownItem`` if it does not exist.
    @discardableResult
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        try await item(subscriptionID, in: subscriptions(for: [subscriptionID])).get()
    }

    /// Fetches subscriptions by ID.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        try await CKError.translate {
            try await store().database.subscriptions(for: ids).mapValues { $0.translated(CKSubscription.object) }
        }
    }

    /// Saves a subscription, which fires from then on.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let id = subscription.subscriptionID
        return try await item(id, in: modifySubscriptions(saving: [subscription], deleting: []).saveResults).get()
    }

    /// Deletes a subscription.
    @discardableResult
    public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws -> CKSubscription.ID {
        try await item(subscriptionID, in: modifySubscriptions(saving: [], deleting: [subscriptionID]).deleteResults)
            .get()
        return subscriptionID
    }

    /// Saves and deletes subscriptions.
    ///
    /// - Returns: The result of each subscription.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        try await CKError.translate {
            let store = try store()
            var saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
            var subscriptions: [Subscription] = []
            var objects: [CKSubscription.ID: CKSubscription] = [:]
            for subscription in subscriptionsToSave {
                do {
                    let converted = try subscription.converted().resolvingUser(store.user)
                    try await store.rules.check(converted, in: store.database)
                    subscriptions.append(converted)
                    objects[subscription.subscriptionID] = subscription
                } catch {
                    if let error = error as? CabinetError, CKError(error).code.isOfWholeRequest { throw error }
                    saveResults[subscription.subscriptionID] = .failure(CKError.translating(error))
                }
            }
            let results = try await store.database.modifySubscriptions(
                saving: subscriptions, deleting: subscriptionIDsToDelete)
            for (id, result) in results.saveResults {
                // The object that was passed has settings that the store does not keep.
                let object = objects[id]
                saveResults[id] = result.translated { object ?? .object($0) }
            }
            return (saveResults, results.deleteResults.mapValues { $0.translated { $0 } })
        }
    }
}

extension CKDatabase {
    /// Fetches all subscriptions, and passes them to a closure.
    @preconcurrency
    public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.allSubscriptions() }
    }

    /// Fetches a subscription by ID, and passes it to a closure.
    @preconcurrency
    public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.subscription(for: subscriptionID) }
    }

    /// Fetches subscriptions by ID, and passes the result to a closure.
    @preconcurrency
    public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.subscriptions(for: subscriptionIDs) }
    }

    /// Saves a subscription, and passes it to a closure.
    @preconcurrency
    public func save(
        _ subscription: CKSubscription, completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.save(subscription) }
    }

    /// Deletes a subscription, and passes its ID to a closure.
    @preconcurrency
    public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription.ID?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.deleteSubscription(withID: subscriptionID) }
    }

    /// Saves and deletes subscriptions, and passes the results to a closure.
    @preconcurrency
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        }
    }
}
