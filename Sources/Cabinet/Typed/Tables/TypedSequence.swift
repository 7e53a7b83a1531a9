/// The records of a typed query, fetched page by page during iteration.
public struct TypedSequence<Fields: RecordFields>: AsyncSequence, Sendable {
    let records: RecordSequence
    let layout: RecordLayout<Fields>

    /// Begins with the query's first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(records: records.makeAsyncIterator(), layout: layout)
    }

    /// An iterator that fetches the next page after the last record of a page.
    public struct Iterator: AsyncIteratorProtocol {
        var records: RecordSequence.Iterator
        let layout: RecordLayout<Fields>

        /// Returns the next record, or `nil` after the last one.
        public mutating func next() async throws -> Typed<Fields>? {
            try await records.next().map { Typed(checked: $0, layout: layout) }
        }
    }
}
