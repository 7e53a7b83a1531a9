/// A sequence number, and the timeline that it was reserved on.
///
/// Two copies of a database that have the same number on the same timeline have had the same changes up to that number.
struct TimelinePoint: Sendable, Hashable, Codable {
    var number: Int64

    /// The ID of the timeline; `nil` if the store records none.
    var timeline: Int64?
}
