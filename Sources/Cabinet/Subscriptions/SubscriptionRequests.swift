/// Asks for a user's subscriptions.
struct FetchSubscriptionsRequest: Sendable {
    var scope: Database.Scope
    /// The subscriptions' IDs, or `nil` for all.
    var subscriptionIDs: [Subscription.ID]?
}

/// Asks for subscriptions to be saved and deleted.
struct ModifySubscriptionsRequest: Sendable {
    var scope: Database.Scope
    var subscriptionsToSave: [Subscription]
    var subscriptionIDsToDelete: [Subscription.ID]
}

/// What became of each subscription of a ``ModifySubscriptionsRequest``.
struct ModifySubscriptionsResponse: Sendable {
    var saveResults: [Subscription.ID: Result<Subscription, CabinetError>] = [:]
    var deleteResults: [Subscription.ID: Result<Void, CabinetError>] = [:]
}

/// Asks for one page of a user's notifications.
struct NotificationsRequest: Sendable {
    var scope: Database.Scope
    /// The number of the last notification that is known; `nil` if none is.
    var since: Int64?
    var includesOwnChanges: Bool
}

/// One page of a user's notifications.
struct NotificationsResponse: Sendable {
    var notifications: [StoredNotification]
    /// The number up to which all are known after this page.
    var end: Int64
    var moreComing: Bool
}
