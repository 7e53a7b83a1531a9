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

    /// Compares two states of a query's records.
    ///
    /// - Parameters:
    ///   - old: The records before.
    ///   - new: The records after, in the query's order.
    /// - Complexity: O(*n* log *n*) in the number of records.
    public init(from old: [Record], to new: [Record]) {
        let before = Dictionary(old.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(new.map(\.recordID))
        records = new
        inserted = new.filter { before[$0.recordID] == nil }
        updated = new.filter { record in before[record.recordID].map { $0 != record } ?? false }
        deleted = old.map(\.recordID).filter { !after.contains($0) }
        let places = Dictionary(
            old.enumerated().map { ($1.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        let kept = new.map(\.recordID).filter { places[$0] != nil }
        moved = Self.outOfOrder(kept.compactMap { places[$0] }).map { kept[$0] }
    }

    /// The positions of numbers that are to be taken out, as few as possible, so that the others ascend.
    ///
    /// - Complexity: O(*n* log *n*).
    static func outOfOrder(_ numbers: [Int]) -> [Int] {
        // For each length the position of the lowest number that an ascending row of this length ends with.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            var range = 0..<ends.count
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = numbers[ends[middle]] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            let length = range.lowerBound
            previous[position] = length > 0 ? ends[length - 1] : nil
            if length < ends.count { ends[length] = position } else { ends.append(position) }
        }
        var stays = [Bool](repeating: false, count: numbers.count)
        var last = ends.last
        while let position = last {
            stays[position] = true
            last = previous[position]
        }
        return numbers.indices.filter { !stays[$0] }
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
