/// A position in the changes of a database or zone.
struct FeedPosition: Sendable {
    /// The number of the last change that the client knows.
    var number: Int64

    /// The number up to which the client needs no tombstones, because it has read its records later.
    var tombstoneHorizon: Int64

    /// The end of the database when this position was determined; the client knows no later change.
    var end: TimelinePoint

    /// The fingerprint of the records that the client could read then; `nil` for all.
    var readAccess: String?
}
