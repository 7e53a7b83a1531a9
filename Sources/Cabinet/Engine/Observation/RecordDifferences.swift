/// The differences between the states of a query's records; the first one has all records as inserted.
public struct RecordDifferences: AsyncSequence, Sendable {
    let observation: RecordObservation

    /// Begins with the current records, which are all inserted.
    public func makeAsyncIterator() -> Iterator {
        Iterator(states: observation.makeAsyncIterator())
    }

    /// Waits for the next difference.
    public struct Iterator: AsyncIteratorProtocol {
        private var states: RecordObservation.Iterator
        private var last: [Record] = []

        init(states: RecordObservation.Iterator) {
            self.states = states
        }

        /// Waits for the next state.
        ///
        /// - Returns: The difference from the last state; `nil` when the task is cancelled or the container closed.
        /// - Throws: The errors of the query; the next call then runs it again.
        public mutating func next() async throws -> RecordDifference? {
            guard let records = try await states.next() else { return nil }
            defer { last = records }
            return RecordDifference(from: last, to: records)
        }
    }
}
