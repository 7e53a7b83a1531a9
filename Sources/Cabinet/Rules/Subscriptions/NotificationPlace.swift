/// A position in the notifications of a user in one database.
struct NotificationPlace: Sendable, Hashable, Codable {
    /// The number up to which all notifications are known.
    var number: Int64
    /// The end of the database when the position was determined.
    var end: TimelinePoint
}
