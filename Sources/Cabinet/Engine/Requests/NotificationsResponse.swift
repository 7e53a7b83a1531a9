/// One page of a user's notifications.
struct NotificationsResponse: Sendable {
    var notifications: [StoredNotification]
    /// The position after this page.
    var place: NotificationPlace
    var moreComing: Bool
}
