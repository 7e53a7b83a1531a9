import Cabinet

/// In which order the records of a zone were changed.
///
/// An entry is out of date when its record was changed again. Such entries are skipped, and dropped when they are too many.
struct Feed: Sendable {
    private(set) var entries: [(number: Int64, id: RecordID)] = []

    mutating func append(_ id: RecordID, _ number: Int64) {
        // Nearly always the end: only within a transaction may numbers come in another order.
        let index = entries.lastIndex { $0.number <= number }.map { $0 + 1 } ?? 0
        entries.insert((number, id), at: index)
    }

    /// The entries after a number, in their order.
    func entries(after number: Int64) -> ArraySlice<(number: Int64, id: RecordID)> {
        var range = entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].number > number ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return entries[range.lowerBound...]
    }

    mutating func compact(keeping count: Int, numberOf: (RecordID) -> Int64?) {
        guard entries.count > 2 * count + 64 else { return }
        entries.removeAll { numberOf($0.id) != $0.number }
    }
}
