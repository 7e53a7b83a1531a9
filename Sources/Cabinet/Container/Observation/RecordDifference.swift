/// The difference between two states of a query's records.
public struct RecordDifference: Sendable, Hashable {
    /// The records of the new state, in the query's order.
    public let records: [Record]

    /// The records that only the new state has.
    public let inserted: [Record]

    /// The records that both states have, and that differ, as in the new state.
    public let updated: [Record]

    /// The IDs of the records that only the old state has.
    public let deleted: [RecordID]

    /// The IDs of the records whose position among the others has changed.
    public let moved: [RecordID]

    /// Compares two states of a query's records.
    ///
    /// - Parameters:
    ///   - old: The records of the old state.
    ///   - new: The records of the new state, in the query's order.
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

    /// Returns the positions of the fewest numbers without which the others ascend.
    ///
    /// - Complexity: O(*n* log *n*).
    static func outOfOrder(_ numbers: [Int]) -> [Int] {
        // For each length, the position of the lowest number that ends an ascending subsequence of this length.
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
