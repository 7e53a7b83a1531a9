import Cabinet
import SQLSupport

/// The search for the records of a plan: a statement for what SQL can decide, and the evaluator for the rest.
struct PageSearch {
    let plan: QueryPlan
    let connection: Connection
    let table: Table
    let terms: RowTerms
    let scope: ZoneScope
    /// What the filter was split into.
    let parts: FilterTranslator.Parts
    /// The statements that looked for the targets of references beforehand.
    let targetLookups: [SQLStatementText]
    var builder: SQLBuilder
    let condition: SQLCondition
    /// The conditions that a row is in one of the ranges of the order that the page is taken from, one after the other.
    private let ranges: [SQLCondition]
    /// The order in SQL; `nil` if SQL cannot sort so.
    private let keyset: KeysetTranslator?

    /// What a search is for.
    enum Purpose {
        /// One page of records.
        case page
        /// Something about all records, on whatever page.
        case all
    }

    /// Translates a plan.
    ///
    /// - Returns: `nil` if there are no records of the type or in the zone.
    init?(_ plan: QueryPlan, for purpose: Purpose, on connection: Connection) throws {
        guard !connection.catalog.isEmptyFile, let table = connection.catalog.tablesByType[plan.recordType],
            let scope = ZoneScope(of: plan, in: try connection.refreshedZones())
        else { return nil }
        terms = RowTerms(table, fields: plan.fields, catalog: connection.catalog)
        let isPage = purpose == .page
        var translator = FilterTranslator(
            terms, scope: scope, connection: connection, isLimited: isPage && plan.limit < .max)
        parts = try translator.split(plan.filter)
        var keyset =
            isPage ? KeysetTranslator(plan.order, terms: terms, scope: scope, &translator.builder) : nil
        // Without statistics, SQLite prefers the order of the rows to an index on a field that finds a range of values. The sign keeps
        // it from that.
        if plan.order.isEmpty, translator.dialect.usesFieldIndex, !translator.dialect.usesEqualValues {
            keyset?.insertionNumber = "+\(terms.insertionNumber)"
        }
        self.keyset = keyset
        // The zone comes first: records of other zones are not evaluated, which might fail.
        condition = .all([
            translator.zoneCondition(of: isPage && plan.isOrdered ? plan.order : nil),
            parts.bounds.necessary,
        ])
        if let position = plan.position, let keyset {
            ranges = keyset.ranges(after: position, &translator.builder)
        } else {
            ranges = [.always]
        }
        builder = translator.builder
        targetLookups = translator.dialect.targetLookups
        self.plan = plan
        self.connection = connection
        self.table = table
        self.scope = scope
    }

    /// The WHERE clause, with a space before it; `nil` if no row can meet it.
    var clause: String? { condition.clause }

    /// The page's records.
    mutating func page() throws -> [StoredRecord] {
        guard let keyset else { return try sortedPage() }
        var (decoder, selection) = try decoder(keys: plan.keys)
        let statements = statements(selecting: selection, orderedBy: keyset)
        if parts.remainder == nil, statements.count == 1, let sql = statements.first {
            return try page(sql, selection, &decoder)
        }
        var page: [StoredRecord] = []
        // The evaluator's fields come after those of the page.
        let names = parts.remainder == nil ? nil : plan.keys.map(FieldNames.init)
        let resolver = RecordResolver(connection)
        for sql in statements where page.count < plan.limit {
            try search(sql, &decoder, resolver) { record, _ in
                page.append(record)
                if let names {
                    page[page.count - 1].fields = RecordFields(
                        names: names, values: record.fields.values, isComplete: false)
                }
                return page.count < plan.limit
            }
        }
        return page
    }

    /// The page's records in an order that the core makes, of rows that it is handed one by one.
    private func sortedPage() throws -> [StoredRecord] {
        guard let clause else { return [] }
        let (decoder, selection) = try decoder(keys: nil)
        let statement = try connection.statement("SELECT \(selection) FROM \(table.quoted)\(clause)", builder)
        defer { statement.reset() }
        let rows = DecodedRows(statement, decoder, connection)
        let page = try plan.evaluating(parts.remainder).page(of: rows, resolving: RecordResolver(connection).record)
        if let failure = rows.failure { throw failure }
        return page
    }

    /// The statement that finds the page's records in no order; `nil` if there are several ranges, or none.
    func unorderedStatement(selecting selection: String) -> String? {
        guard ranges.count == 1, let range = ranges.first, let clause = SQLCondition.all([condition, range]).clause
        else { return nil }
        return "SELECT \(selection) FROM \(table.quoted)\(clause)"
    }

    /// The statements that find the page's records in their order, one after the other.
    private mutating func statements(selecting selection: String, orderedBy keyset: KeysetTranslator) -> [String] {
        var end = plan.isOrdered ? " ORDER BY \(keyset.order)" : ""
        if parts.remainder == nil, plan.limit < .max {
            end += " LIMIT \(builder.parameter(.integer(Int64(plan.limit))))"
        }
        return ranges.compactMap { range in
            SQLCondition.all([condition, range]).clause.map { "SELECT \(selection) FROM \(table.quoted)\($0)\(end)" }
        }
    }

    /// The statements that find the page's records, to be explained, and whether they find them in their order.
    mutating func explained() throws -> (statements: [SQLStatementText], isOrdered: Bool) {
        let selection = try decoder(keys: plan.keys).selection
        let texts: [String]
        if let keyset {
            texts = statements(selecting: selection, orderedBy: keyset)
        } else {
            texts = clause.map { ["SELECT \(selection) FROM \(table.quoted)\($0)"] } ?? []
        }
        return (texts.map { SQLStatementText(sql: $0, builder: builder) }, keyset != nil)
    }

    /// The number of the plan's records.
    func count() throws -> Int {
        guard let clause else { return 0 }
        guard parts.remainder != nil else {
            let statement = try connection.statement("SELECT count(*) FROM \(table.quoted)\(clause)", builder)
            defer { statement.reset() }
            return try statement.step() ? Int(clamping: statement.int64(0)) : 0
        }
        var count = 0
        try forEach(keys: []) { _, _ in count += 1 }
        return count
    }

    /// Hands on all records, with some of their fields, and maybe the value of an expression.
    func forEach(
        keys: [Record.FieldKey]?, selecting expression: String? = nil,
        _ body: (StoredRecord, (statement: Statement, column: Int32)) throws -> Void
    ) throws {
        guard let clause else { return }
        var (decoder, selection) = try decoder(keys: keys)
        // After the decoder's own columns, where it does not look.
        let extra = expression.map { ", \($0)" } ?? ""
        let sql = "SELECT \(selection)\(extra) FROM \(table.quoted)\(clause)"
        try search(sql, &decoder, RecordResolver(connection)) { record, statement in
            try body(record, (statement, statement.columnCount - 1))
            return true
        }
    }

    /// Hands on the records that a statement selects and the evaluator accepts, until told to stop.
    private func search(
        _ sql: String, _ decoder: inout RowDecoder, _ resolver: RecordResolver,
        _ found: (StoredRecord, Statement) throws -> Bool
    ) throws {
        var evaluator = try parts.remainder.map { try CompiledFilter($0, fields: plan.fields) }
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        while try statement.step() {
            let record = try decoder.decode(statement, on: connection)
            if try evaluator?.matches(record, resolving: resolver.record) == false { continue }
            if try !found(record, statement) { return }
        }
    }

    /// What makes records of rows, with some fields and those that the evaluator reads, and the columns to select for
    /// it.
    private func decoder(keys: [Record.FieldKey]?) throws -> (RowDecoder, selection: String) {
        guard let keys else {
            let statements = try connection.statements(for: table)
            return (statements.decoder, statements.selection)
        }
        let others = parts.remainder?.keysToFetch(in: plan.fields).filter { SystemField(rawValue: $0) == nil } ?? []
        let decoder = RowDecoder(
            table: table, keys: keys + Set(others).subtracting(keys).sorted(), path: connection.path)
        return (decoder, decoder.selection)
    }
}

extension Connection {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        guard var search = try PageSearch(plan, for: .page, on: self) else { return [] }
        return try search.page()
    }

    /// Counts a query's records, wherever the page begins and ends.
    func count(matching plan: QueryPlan) throws -> Int {
        guard let search = try PageSearch(plan, for: .all, on: self) else { return 0 }
        return try search.count()
    }
}
