import Cabinet
import SQLSupport

/// Decodes the rows of a statement as records, and passes on those that a filter matches.
///
/// Rows are processed in chunks, so that the records that they refer to are fetched together.
struct FilteredRows<Extra> {
    let context: TransactionContext
    var decoder: RowDecoder
    /// The filter to evaluate; `nil` if all rows match.
    var filter: CompiledFilter?
    let resolver: RecordResolver
    /// Reads the columns that follow those of the record.
    let extra: (QueryRow, Int, StoredRecord) throws -> Extra
    /// The records that were read and not passed on.
    private var chunk: [(record: StoredRecord, extra: Extra)] = []

    init(
        context: TransactionContext, decoder: RowDecoder, filter: CompiledFilter?, resolver: RecordResolver,
        extra: @escaping (QueryRow, Int, StoredRecord) throws -> Extra
    ) {
        self.context = context
        self.decoder = decoder
        self.filter = filter
        self.resolver = resolver
        self.extra = extra
    }

    /// The number of rows in a chunk: as many as a cursor fetches first.
    private static var chunkLength: Int { 100 }

    /// Runs a statement.
    ///
    /// - Parameter found: A closure that is called with each chunk of records, and returns whether to continue.
    mutating func run(
        _ statement: SQLStatement, _ found: ([(record: StoredRecord, extra: Extra)]) throws -> Bool
    ) async throws {
        try await context.connection.forEachRow(of: statement.text, statement.values) { try take($0, found) }
        try finish(found)
    }

    /// Runs a statement, and blocks the thread until its rows have arrived.
    mutating func runBlocking(
        _ statement: SQLStatement, _ found: ([(record: StoredRecord, extra: Extra)]) throws -> Bool
    ) throws {
        try context.forEachRow(of: statement.text, statement.values) { try take($0, found) }
        try finish(found)
    }

    private mutating func take(
        _ row: QueryRow, _ found: ([(record: StoredRecord, extra: Extra)]) throws -> Bool
    ) throws -> Bool {
        let record = try decoder.decode(row, in: context)
        chunk.append((record, try extra(row, decoder.columnCount, record)))
        guard chunk.count >= Self.chunkLength else { return true }
        defer { chunk.removeAll(keepingCapacity: true) }
        return try found(try accepted(chunk))
    }

    /// Processes the last chunk; there is none if the closure has stopped.
    private mutating func finish(_ found: ([(record: StoredRecord, extra: Extra)]) throws -> Bool) throws {
        if !chunk.isEmpty { _ = try found(try accepted(chunk)) }
        chunk = []
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
