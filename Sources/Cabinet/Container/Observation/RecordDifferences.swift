/// The differences between the states of a query's records; the first one has all records as inserted.
///
/// ```swift
/// for try await change in database.observe(query).differences {
///     update(change.inserted, change.updated, change.deleted)
/// }
/// ```
public struct RecordDifferences: AsyncSequence, Sendable {
    let observation: RecordObservation

    /// Creates an iterator that begins with the current records, which are all inserted.
    public func makeAsyncIterator() -> Iterator {
        Iterator(states: observation.makeAsyncIterator())
    }

    /// An iterator that waits for the next difference.
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
