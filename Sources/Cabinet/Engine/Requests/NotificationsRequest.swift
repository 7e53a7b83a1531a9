/// A request for one page of a user's notifications.
struct NotificationsRequest: Sendable {
    var scope: DatabaseScope
    /// The position after the last notification that the client knows; `nil` for the beginning.
    var since: NotificationPlace?
    var includesOwnChanges: Bool
}
