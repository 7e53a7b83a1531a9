/// The records of a live query, as typed records.
///
/// ``RecordObservation`` describes when the sequence returns a new array, and what ends it.
public struct TypedObservation<Fields: RecordFields>: AsyncSequence, Sendable {
    let records: RecordObservation
    let layout: RecordLayout<Fields>

    /// Begins with the records as they are now.
    public func makeAsyncIterator() -> Iterator {
        Iterator(records: records.makeAsyncIterator(), layout: layout)
    }

    /// The differences between one array and the next, for a list on a screen.
    public var differences: TypedDifferences<Fields> {
        TypedDifferences(differences: records.differences, layout: layout)
    }

    /// An iterator that waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        var records: RecordObservation.Iterator
        let layout: RecordLayout<Fields>

        /// Returns the records now, and later the records after a change; `nil` if the task is cancelled.
        ///
        /// - Throws: The errors of ``Database/observe(_:inZoneWith:desiredKeys:limit:)``.
        public mutating func next() async throws -> [Typed<Fields>]? {
            guard let records = try await records.next() else { return nil }
            return records.map { Typed(checked: $0, layout: layout) }
        }
    }
}
