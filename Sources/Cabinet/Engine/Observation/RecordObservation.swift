/// The records of a query: one element at first, and another whenever they have changed.
public struct RecordObservation: AsyncSequence, Sendable {
    let service: any DatabaseService
    let request: QueryRequest
    /// The error of a refused request, which the first element throws.
    let refusal: CabinetError?

    /// Begins with the current records.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observation: self)
    }

    /// The differences between an element and the one before it, beside the records.
    public var differences: RecordDifferences { RecordDifferences(observation: self) }

    /// Waits for the next element.
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
