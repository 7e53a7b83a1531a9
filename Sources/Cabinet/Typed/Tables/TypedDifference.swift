/// The difference between two results of a typed live query.
public struct TypedDifference<Fields: RecordFields>: Sendable, Hashable {
    /// The records after the change, in the order of the query.
    public let items: [Typed<Fields>]

    /// The records that were not in the result before.
    public let inserted: [Typed<Fields>]

    /// The records that were in the result before, with other values.
    public let updated: [Typed<Fields>]

    /// The IDs of the records that are no longer in the result.
    public let deleted: [TypedID<Fields>]

    /// The IDs of the records whose position among the others has changed.
    public let moved: [TypedID<Fields>]

    init(_ difference: RecordDifference, layout: RecordLayout<Fields>) {
        func typed(_ records: [Record]) -> [Typed<Fields>] { records.map { Typed(checked: $0, layout: layout) } }
        items = typed(difference.records)
        inserted = typed(difference.inserted)
        updated = typed(difference.updated)
        deleted = difference.deleted.map { TypedID($0) }
        moved = difference.moved.map { TypedID($0) }
    }
}

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
        ///
        /// - Throws: The errors of ``Database/observe(_:inZoneWith:desiredKeys:limit:)``.
        public mutating func next() async throws -> TypedDifference<Fields>? {
            try await differences.next().map { TypedDifference($0, layout: layout) }
        }
    }
}
