/// The records of one type, side by side and in no order.
///
/// Beside them it keeps the ranks of their fields, a column for each field: most of the records that a query does not find are told
/// from the others by a look at one number each, and not at the record.
struct MemoryTable: Sendable {
    let recordType: Record.RecordType

    private(set) var rows: [StoredRecord] = []

    /// For each field that has a column, the ranks of its values by row.
    private var ranks: [[UInt64]] = []
    private var columns: [Record.FieldKey: Int] = [:]

    /// The names of the record that was put in last, and the columns of their positions; most records have the same names.
    private var names: FieldNames?
    private var columnsOfNames: [Int?] = []

    /// Columns are for all records of the type, also those without the field; a type with more fields than this would pay too much.
    private static let columnLimit = 32

    init(recordType: Record.RecordType) {
        self.recordType = recordType
    }

    mutating func append(_ record: StoredRecord) {
        rows.append(record)
        for column in ranks.indices { ranks[column].append(FieldValue.rankOfNil) }
        rank(rows.count - 1)
    }

    mutating func replace(at row: Int, with record: StoredRecord) {
        if record.fields.names !== rows[row].fields.names {
            for column in ranks.indices { ranks[column][row] = FieldValue.rankOfNil }
        }
        rows[row] = record
        rank(row)
    }

    /// Removes a row; the last one takes its place.
    ///
    /// - Returns: The record that is in the place now; `nil` if the last one was removed.
    mutating func remove(at row: Int) -> StoredRecord? {
        let last = rows.count - 1
        rows.swapAt(row, last)
        rows.removeLast()
        for column in ranks.indices {
            ranks[column].swapAt(row, last)
            ranks[column].removeLast()
        }
        return row < last ? rows[row] : nil
    }

    /// The records that may lie within bounds; all others surely do not.
    func candidates(within bounds: [RankBound]) -> [StoredRecord] {
        var candidates: [Int]?
        for bound in bounds {
            guard let column = columns[bound.key] else { continue }
            let (ranks, range) = (ranks[column], bound.ranks)
            candidates = candidates?.filter { range.contains(ranks[$0]) } ?? ranks.indices(in: range)
        }
        return candidates?.map { rows[$0] } ?? rows
    }

    /// Enters the ranks of a row's values.
    private mutating func rank(_ row: Int) {
        let fields = rows[row].fields
        findColumns(of: fields.names)
        for (position, column) in columnsOfNames.enumerated() {
            if let column { ranks[column][row] = fields.values[position]?.rank ?? FieldValue.rankOfNil }
        }
    }

    private mutating func findColumns(of names: FieldNames) {
        if self.names === names { return }
        self.names = names
        columnsOfNames = names.names.enumerated().map { position, name in
            // Of a name that is repeated, the first position counts.
            if names.position(of: name) != position { return nil }
            if columns[name] == nil, ranks.count < Self.columnLimit {
                columns[name] = ranks.count
                ranks.append(Array(repeating: FieldValue.rankOfNil, count: rows.count))
            }
            return columns[name]
        }
    }
}

extension [UInt64] {
    /// Where the elements are that lie in a range.
    fileprivate func indices(in range: ClosedRange<UInt64>) -> [Int] {
        withUnsafeBufferPointer { elements in
            var found: [Int] = []
            for index in elements.indices where range.contains(elements[index]) { found.append(index) }
            return found
        }
    }
}
