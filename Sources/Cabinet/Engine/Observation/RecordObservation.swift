/// The records of a query: one element at first, and another after each change of the records.
///
/// ``Database/observe(_:inZoneWith:desiredKeys:)`` returns it. <doc:LiveQueries> explains when elements arrive, and
/// <doc:SwiftUIAndUIKit> shows them on a screen.
public struct RecordObservation: AsyncSequence, Sendable {
    let service: any DatabaseService
    let request: QueryRequest
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
        private var query: QueryObservation?

        init(observation: RecordObservation) {
            self.observation = observation
        }

        /// Returns the current records at first, and then the records whenever they have changed.
        ///
        /// - Returns: The records; `nil` when the task is cancelled or the container closed.
        /// - Throws: The errors of the query; the next call then runs it again.
        public mutating func next() async throws -> [Record]? {
            if Task.isCancelled { return nil }
            if let refusal = observation.refusal { throw refusal }
            let query = try self.query ?? observation.service.observe(observation.request)
            self.query = query
            return try await query.next()
        }
    }
}
