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

/// A position in the notifications of a user in one database.
struct NotificationPlace: Sendable, Hashable, Codable {
    /// The number up to which all notifications are known.
    var number: Int64
    /// The end of the database when the position was determined.
    var end: TimelinePoint
}

/// Asks for one page of a user's notifications.
struct NotificationsRequest: Sendable {
    var scope: Database.Scope
    /// The last notification that is known; `nil` if none is.
    var since: NotificationPlace?
    var includesOwnChanges: Bool
}

/// One page of a user's notifications.
struct NotificationsResponse: Sendable {
    var notifications: [StoredNotification]
    /// The position after this page.
    var place: NotificationPlace
    var moreComing: Bool
}
