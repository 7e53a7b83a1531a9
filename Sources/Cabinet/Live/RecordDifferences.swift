/// How the records of a query have changed.
public struct RecordDifference: Sendable, Hashable {
    /// The records as they are now, in the query's order.
    public let records: [Record]

    /// The records that were not there before.
    public let inserted: [Record]

    /// The records that were there before and have changed, as they are now.
    public let updated: [Record]

    /// The IDs of the records that are not there any more.
    public let deleted: [RecordID]

    /// The IDs of the records that have changed their places among the others.
    public let moved: [RecordID]

    /// Compares two states.
    ///
    /// - Complexity: O(*n* *m*) in the number of records and of changes.
    init(from old: [Record], to new: [Record]) {
        let before = Dictionary(old.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(new.map(\.recordID))
        records = new
        inserted = new.filter { before[$0.recordID] == nil }
        updated = new.filter { record in before[record.recordID].map { $0 != record } ?? false }
        deleted = old.map(\.recordID).filter { !after.contains($0) }
        let changes = new.map(\.recordID).filter { before[$0] != nil }
            .difference(from: old.map(\.recordID).filter { after.contains($0) })
        moved = changes.insertions.compactMap { change in
            if case .insert(_, let id, _) = change { id } else { nil }
        }
    }
}

/// The changes of a query's records: first all of them as inserted, and then what has changed from one state to the next.
public struct RecordDifferences: AsyncSequence, Sendable {
    let observation: RecordObservation

    /// Begins with the records as they are now, which are all inserted.
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

        /// The next difference; `nil` when the task is cancelled or the container closed.
        public mutating func next() async throws -> RecordDifference? {
            guard let records = try await states.next() else { return nil }
            defer { last = records }
            return RecordDifference(from: last, to: records)
        }
    }
}
