/// A place in the changes of a database or zone.
struct FeedPosition: Sendable {
    /// The number of the last change that is known.
    var number: Int64

    /// The number up to which deletions are of no concern, because what is known was read later.
    var horizon: Int64

    /// The end of the database when this place was determined: nothing later is known, of whatever record.
    var end: TimelinePoint
}
