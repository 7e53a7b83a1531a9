/// In which order the records of a zone were changed.
///
/// An entry is out of date when its record was changed again; such entries are skipped, and dropped when they are too many.
struct ChangeLog: Sendable {
    private var entries: [(number: Int64, recordID: RecordID)] = []

    /// Adds changes, whose numbers are higher than all before.
    mutating func append(_ changes: [(number: Int64, recordID: RecordID)]) {
        entries += changes.sorted { $0.number < $1.number }
    }

    /// The records that were changed after a number, in the order of their changes; with some that were changed again since.
    func entries(after number: Int64) -> ArraySlice<(number: Int64, recordID: RecordID)> {
        var range = entries.startIndex..<entries.endIndex
        while let middle = range.indices.isEmpty ? nil : range.lowerBound + range.count / 2 {
            range = entries[middle].number > number ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return entries[range.lowerBound...]
    }

    /// Drops the entries that are out of date, if they are the greater part.
    ///
    /// - Parameters:
    ///   - count: How many entries are not out of date.
    ///   - isCurrent: Whether an entry is not out of date.
    mutating func compact(keeping count: Int, _ isCurrent: (Int64, RecordID) -> Bool) {
        guard entries.count > 2 * count + 64 else { return }
        entries.removeAll { !isCurrent($0.number, $0.recordID) }
    }
}
