/// A sequence number, and the timeline that it was reserved on.
///
/// Two copies of a database that have the same number on the same timeline have had the same changes up to that number.
struct TimelinePoint: Sendable, Hashable, Codable {
    var number: Int64

    /// The ID of the timeline; `nil` if the store records none.
    var timeline: Int64?
}

extension StorageSnapshot {
    /// The last sequence number, and the timeline that it is on.
    func timelineEnd() async throws -> TimelinePoint {
        let last = try await lastSequenceNumber()
        return TimelinePoint(number: last, timeline: try await timelines(of: [last]).first ?? nil)
    }

    /// The last sequence number, and the timelines of this number and of a known point.
    ///
    /// - Parameter known: A point whose number is not above the last one; `nil` for none.
    /// - Returns: The end, and whether the known point lies in the past of this database.
    func timelineEnd(
        last: Int64, after known: TimelinePoint?
    ) async throws -> (end: TimelinePoint, containsKnown: Bool) {
        let found = try await timelines(of: [last, known?.number ?? last])
        return (
            TimelinePoint(number: last, timeline: found.first ?? nil),
            known == nil || found.last.flatMap(\.self) == known?.timeline
        )
    }
}
