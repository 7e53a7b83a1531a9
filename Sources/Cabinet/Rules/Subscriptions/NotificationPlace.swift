/// A position in the notifications of a user in one database.
struct NotificationPlace: Sendable, Hashable, Codable {
    /// The number of the last notification that the client knows.
    var number: Int64
    /// The end of the database when the position was determined.
    var end: TimelinePoint
}
