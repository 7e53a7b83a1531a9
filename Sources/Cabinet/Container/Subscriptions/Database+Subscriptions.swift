extension Database {
    /// Fetches all subscriptions of the user in this database.
    ///
    /// - Returns: The subscriptions in the order of their IDs.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, and the store's failures.
    public func allSubscriptions() async throws -> [Subscription] {
        try await client.perform(FetchSubscriptionsRequest(scope: databaseScope)).results.map { try $0.get() }
    }

    /// Fetches a subscription of the user by ID.
    ///
    /// - Parameter subscriptionID: The subscription's ID.
    /// - Returns: The subscription.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the user has no such subscription in this database, and the
    ///   errors of ``subscriptions(for:)``.
    public func subscription(for subscriptionID: Subscription.ID) async throws -> Subscription {
        try await client.perform(
            FetchSubscriptionsRequest(scope: databaseScope, subscriptionIDs: [subscriptionID])
        ).results.onlyResult.get()
    }

    /// Fetches subscriptions of the user by ID.
    ///
    /// - Parameter ids: The subscriptions' IDs.
    /// - Returns: A subscription for each ID, or ``CabinetError/Code/unknownItem``.
    /// - Throws: For the whole request, ``CabinetError/Code/notAuthenticated`` without an account,
    ///   ``CabinetError/Code/limitExceeded``, and the failures of the store.
    public func subscriptions(
        for ids: [Subscription.ID]
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        let response = try await client.perform(
            FetchSubscriptionsRequest(scope: databaseScope, subscriptionIDs: ids))
        return try Dictionary(response.results, of: ids)
    }

    /// Saves a subscription, which fires from then on, and replaces one with the same ID.
    ///
    /// - Parameter subscription: The subscription to save.
    /// - Returns: The subscription.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the ID is malformed, if a query subscription has no option
    ///   that fires it, or if its record type or filter is invalid or uses `MATCHES`.
    ///   ``CabinetError/Code/limitExceeded`` if the filter is larger than ``QuerySubscription/filter`` allows, or the
    ///   user has 500 subscriptions in the database. ``CabinetError/Code/zoneNotFound`` if the subscription's zone does
    ///   not exist. ``CabinetError/Code/badDatabase`` for query and zone subscriptions in the shared database. The
    ///   errors of ``modifySubscriptions(saving:deleting:)`` for a whole request.
    @discardableResult
    public func save(_ subscription: Subscription) async throws -> Subscription {
        try await client.perform(
            ModifySubscriptionsRequest(scope: databaseScope, subscriptionsToSave: [subscription])
        ).saveResults.onlyResult.get()
    }

    /// Saves a query subscription, as ``save(_:)-(Subscription)`` does.
    ///
    /// - Parameter subscription: The subscription to save.
    /// - Returns: The subscription.
    /// - Throws: The errors of ``save(_:)-(Subscription)``.
    @discardableResult
    public func save(_ subscription: QuerySubscription) async throws -> QuerySubscription {
        try await save(.query(subscription))
        return subscription
    }

    /// Saves a zone subscription, as ``save(_:)-(Subscription)`` does.
    ///
    /// - Parameter subscription: The subscription to save.
    /// - Returns: The subscription.
    /// - Throws: The errors of ``save(_:)-(Subscription)``.
    @discardableResult
    public func save(_ subscription: RecordZoneSubscription) async throws -> RecordZoneSubscription {
        try await save(.recordZone(subscription))
        return subscription
    }

    /// Saves a database subscription, as ``save(_:)-(Subscription)`` does.
    ///
    /// - Parameter subscription: The subscription to save.
    /// - Returns: The subscription.
    /// - Throws: The errors of ``save(_:)-(Subscription)``.
    @discardableResult
    public func save(_ subscription: DatabaseSubscription) async throws -> DatabaseSubscription {
        try await save(.database(subscription))
        return subscription
    }

    /// Deletes a subscription of the user.
    ///
    /// Notifications that it has already caused are still delivered.
    ///
    /// - Parameter subscriptionID: The subscription's ID.
    /// - Returns: The subscription's ID.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the user has no such subscription in this database, and the
    ///   errors of ``modifySubscriptions(saving:deleting:)`` for a whole request.
    @discardableResult
    public func deleteSubscription(withID subscriptionID: Subscription.ID) async throws -> Subscription.ID {
        try await client.perform(
            ModifySubscriptionsRequest(scope: databaseScope, subscriptionIDsToDelete: [subscriptionID])
        ).deleteErrors.results.onlyResult.get()
        return subscriptionID
    }

    /// Saves and deletes subscriptions in one transaction.
    ///
    /// The failure of one subscription does not prevent the others from being saved or deleted.
    ///
    /// - Parameters:
    ///   - subscriptionsToSave: The subscriptions to save; each ID once.
    ///   - subscriptionIDsToDelete: The IDs of the subscriptions to delete; each once, and none that is also saved.
    /// - Returns: The result for each subscription.
    /// - Throws: For the whole request, ``CabinetError/Code/invalidArguments`` if an ID occurs twice,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled before the transaction commits, and the
    ///   store's failures.
    public func modifySubscriptions(
        saving subscriptionsToSave: [Subscription], deleting subscriptionIDsToDelete: [Subscription.ID]
    ) async throws -> (
        saveResults: [Subscription.ID: Result<Subscription, CabinetError>],
        deleteResults: [Subscription.ID: Result<Void, CabinetError>]
    ) {
        let response = try await client.perform(
            ModifySubscriptionsRequest(
                scope: databaseScope, subscriptionsToSave: subscriptionsToSave,
                subscriptionIDsToDelete: subscriptionIDsToDelete))
        return (
            try Dictionary(response.saveResults, of: subscriptionsToSave.map(\.subscriptionID)),
            try Dictionary(response.deleteErrors.results, of: subscriptionIDsToDelete)
        )
    }
}
