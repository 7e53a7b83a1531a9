/// The records of a query: one element at first, and another after each change of the records.
///
/// ``Database/observe(_:inZoneWith:desiredKeys:limit:)`` returns it. <doc:LiveQueries> explains when elements arrive, and
/// <doc:SwiftUIAndUIKit> shows them on a screen.
public struct RecordObservation: AsyncSequence, Sendable {
    let client: ServiceClient
    let request: QueryRecordsRequest
    /// The maximum number of records, or `nil` for all.
    let limit: Int?
    /// The error of a refused request, which the first element throws.
    let refusal: CabinetError?

    /// Creates an iterator that begins with the current records.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observation: self)
    }

    /// The same sequence, whose elements also have the difference from the element before.
    public var differences: RecordDifferences { RecordDifferences(observation: self) }

    /// An iterator that waits for the next change.
    public struct Iterator: AsyncIteratorProtocol {
        private let observation: RecordObservation
        private var query: LiveQuery<LiveRecords>?

        /// The reason for which the last call returned no records; `nil` as long as the iterator has some.
        public var ending: ObservationEnding? { isCancelled ? .cancelled : query?.ending }

        private var isCancelled = false

        init(observation: RecordObservation) {
            self.observation = observation
        }

        /// Returns the current records at first, and then the records whenever they have changed.
        ///
        /// - Returns: The records; `nil` when the task is cancelled or the container closed. ``ending`` has the reason.
        /// - Throws: The errors of the query; the next call then runs it again.
        public mutating func next() async throws -> [Record]? {
            isCancelled = Task.isCancelled
            if isCancelled { return nil }
            if let refusal = observation.refusal { throw refusal }
            let query = try self.query ?? makeQuery()
            self.query = query
            return try await query.next()
        }

        private func makeQuery() throws -> LiveQuery<LiveRecords> {
            let client = observation.client
            return try LiveQuery(
                client: client, source: LiveRecords(observation.request, limit: observation.limit, for: client))
        }
    }
}
