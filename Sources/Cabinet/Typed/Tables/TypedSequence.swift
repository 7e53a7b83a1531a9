/// The records of a typed query, fetched page by page during iteration.
public struct TypedSequence<Fields: RecordFields>: AsyncSequence, Sendable {
    @usableFromInline let records: RecordSequence
    @usableFromInline let layout: RecordLayout<Fields>

    /// Begins with the query's first page.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(records: records.makeAsyncIterator(), layout: layout)
    }

    /// An iterator that fetches the next page after the last record of a page.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var records: RecordSequence.Iterator
        @usableFromInline let layout: RecordLayout<Fields>

        @inlinable
        init(records: RecordSequence.Iterator, layout: RecordLayout<Fields>) {
            self.records = records
            self.layout = layout
        }

        /// Returns the next record, or `nil` after the last one.
        ///
        /// - Parameter actor: The calling actor.
        /// - Throws: The errors of ``Database/records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Typed<Fields>? {
            try await records.next(isolation: actor).map { Typed(checked: $0, layout: layout) }
        }
    }
}
