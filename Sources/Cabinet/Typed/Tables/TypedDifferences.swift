/// The differences between one result of a typed live query and the next.
public struct TypedDifferences<Fields: RecordFields>: AsyncSequence, Sendable {
    let differences: RecordDifferences
    let layout: RecordLayout<Fields>

    /// Begins with all records as inserted ones.
    public func makeAsyncIterator() -> Iterator {
        Iterator(differences: differences.makeAsyncIterator(), layout: layout)
    }

    /// An iterator that waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        var differences: RecordDifferences.Iterator
        let layout: RecordLayout<Fields>

        /// Returns the next difference; `nil` if the task is cancelled.
        public mutating func next() async throws -> TypedDifference<Fields>? {
            try await differences.next().map { TypedDifference($0, layout: layout) }
        }
    }
}
