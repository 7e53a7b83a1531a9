import Cabinet
import SQLSupport

/// Decodes the rows of a statement as records, and passes on those that a filter matches.
///
/// Rows are processed in chunks, so that the records that they refer to are fetched together.
struct FilteredRows<Extra> {
    let view: TransactionContext
    var decoder: RowDecoder
    /// The filter to evaluate; `nil` if all rows match.
    var filter: CompiledFilter?
    let resolver: RecordResolver
    /// Reads the columns that follow those of the record.
    let extra: (QueryRow, Int, StoredRecord) throws -> Extra

    /// The number of rows in a chunk: as many as a cursor fetches first.
    private static var chunkLength: Int { 100 }

    /// Runs a statement.
    ///
    /// - Parameter found: A closure that is called with each chunk of records, and returns whether to continue.
    mutating func run(
        _ statement: SQLStatement, _ found: ([(record: StoredRecord, extra: Extra)]) throws -> Bool
    ) throws {
        var chunk: [(record: StoredRecord, extra: Extra)] = []
        var isStopped = false
        let columnCount = decoder.columnCount
        try view.forEachRow(of: statement.text, statement.values) { row in
            let record = try decoder.decode(row, in: view)
            chunk.append((record, try extra(row, columnCount, record)))
            guard chunk.count >= Self.chunkLength else { return true }
            defer { chunk.removeAll(keepingCapacity: true) }
            isStopped = try !found(try accepted(chunk))
            return !isStopped
        }
        if !isStopped, !chunk.isEmpty { _ = try found(try accepted(chunk)) }
    }

    private mutating func accepted(
        _ chunk: [(record: StoredRecord, extra: Extra)]
    ) throws -> [(record: StoredRecord, extra: Extra)] {
        guard var filter else { return chunk }
        let matches = try resolver.resolving { resolver in
            try chunk.map { try filter.matches($0.record, resolving: resolver) }
        }
        self.filter = filter
        return zip(chunk, matches).compactMap { $1 ? $0 : nil }
    }
}
