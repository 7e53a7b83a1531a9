/// Asks for one page of a user's notifications.
struct NotificationsRequest: Sendable {
    var scope: DatabaseScope
    /// The last notification that is known; `nil` if none is.
    var since: NotificationPlace?
    var includesOwnChanges: Bool
}
