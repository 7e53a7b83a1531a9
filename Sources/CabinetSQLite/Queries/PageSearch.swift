import Cabinet
import SQLSupport

/// The search for the records of a plan in an SQLite file.
struct PageSearch: PlanSearch {
    var translation: PlanTranslation<SQLiteDialect>
    let connection: Connection
    let condition: SQLCondition
    /// The conditions of the order's ranges, which the page is read from one after the other.
    private let keysetRanges: [SQLCondition]
    /// The order in SQL; `nil` if SQL cannot sort so.
    private let keyset: KeysetTranslator?
    /// The table, or a join with it, that the page is taken from.
    private let source: String

    /// Translates a plan.
    ///
    /// - Parameter isPage: Whether the search is for one page of records, not for all of them.
    /// - Returns: `nil` if no record has the type or is in the zone.
    init?(_ plan: QueryPlan, isPage: Bool, on connection: Connection) throws {
        guard !connection.catalog.isEmptyFile, let table = connection.catalog.tablesByType[plan.recordType],
            let scope = ZoneScope(of: plan, in: try connection.refreshedZones())
        else { return nil }
        let terms = RowTerms(table, fields: plan.fields, catalog: connection.catalog)
        var translation = try PlanTranslation(
            plan,
            FilterTranslator(terms, scope: scope, connection: connection, isLimited: isPage && plan.limit < .max))
        var keyset =
            isPage ? KeysetTranslator(plan, &translation.translator) : nil
        // Without statistics, SQLite prefers the order of the rows to an index on a field that finds a range of values. The sign keeps
        // it from that.
        if plan.order.isEmpty, translation.translator.dialect.usesFieldIndex,
            !translation.translator.dialect.usesEqualValues
        {
            keyset?.insertionNumber = "+\(terms.insertionNumber)"
        }
        var zone = SQLCondition.always
        if keyset != nil, plan.isOrdered, let source = try translation.translator.sourceInOrderOfNames(plan.order) {
            keyset?.sortInOrderOfNames()
            self.source = source
        } else {
            source = table.quoted
            zone = translation.translator.zoneCondition(of: isPage && plan.isOrdered ? plan.order : nil)
        }
        self.keyset = keyset
        // The zone comes first: records of other zones are not evaluated, which might fail.
        condition = .all([zone, translation.parts.bounds.necessary])
        if let position = plan.position, let keyset {
            keysetRanges = keyset.ranges(after: position, &translation.translator.builder)
        } else {
            keysetRanges = [.always]
        }
        self.translation = translation
        self.connection = connection
    }

    /// The statements that have already searched for the targets of references.
    var targetLookups: [SQLStatementText] { translator.dialect.targetLookups }

    // As in the protocol, whose generic code would copy the whole translation for each of them.
    var plan: QueryPlan { translation.plan }
    var parts: FilterTranslator.Parts { translation.parts }
    var builder: SQLBuilder { translation.translator.builder }
    var table: Table { translation.translator.terms.table }

    /// The WHERE clause, with a leading space; `nil` if no row can meet it.
    var clause: String? { condition.clause }

    mutating func page() throws -> [StoredRecord] {
        guard let keyset else { return try sortedPage() }
        let (decoder, selection) = try decoder(keys: plan.keys)
        let statements = statements(selecting: selection, orderedBy: keyset)
        if parts.remainder == nil {
            if statements.count == 1, let sql = statements.first { return try page(sql, selection, decoder) }
            return try rows(of: statements, decoder)
        }
        var page: [StoredRecord] = []
        // The evaluator's fields come after those of the page.
        let names = plan.keys.map(FieldNames.init)
        let limit = plan.limit
        let resolver = connection.recordResolver(for: plan)
        for sql in statements where page.count < limit {
            try search(sql, decoder, resolver) { record, _ in
                page.append(record)
                if let names {
                    page[page.count - 1].fields = FieldValues(
                        names: names, values: record.fields.values, isComplete: false)
                }
                return page.count < limit
            }
        }
        return page
    }

    /// Returns the page's records if the core must sort them, reading the rows one by one.
    private func sortedPage() throws -> [StoredRecord] {
        guard let clause else { return [] }
        let (decoder, selection) = try decoder(keys: nil)
        let statement = try connection.statement("SELECT \(selection) FROM \(table.quoted)\(clause)", builder)
        defer { statement.reset() }
        let rows = DecodedRows(statement, decoder, connection)
        let page = try plan.evaluating(parts.remainder).page(
            of: rows, resolving: connection.recordResolver(for: plan).single)
        if let failure = rows.failure { throw failure }
        return page
    }

    /// Returns the statement that finds the page's records unordered; `nil` if there is not exactly one range.
    func unorderedStatement(selecting selection: String) -> String? {
        guard keysetRanges.count == 1, let range = keysetRanges.first,
            let clause = SQLCondition.all([condition, range]).clause
        else { return nil }
        return "SELECT \(selection) FROM \(source)\(clause)"
    }

    /// Returns the statements that find the page's records in their order, one after the other.
    private mutating func statements(selecting selection: String, orderedBy keyset: KeysetTranslator) -> [String] {
        var end = plan.isOrdered ? " ORDER BY \(keyset.order)" : ""
        if parts.remainder == nil, plan.limit < .max {
            end += " LIMIT \(translation.translator.builder.parameter(.integer(Int64(plan.limit))))"
        }
        return keysetRanges.compactMap { range in
            SQLCondition.all([condition, range]).clause.map { "SELECT \(selection) FROM \(source)\($0)\(end)" }
        }
    }

    /// Returns the statements of the page for an explanation, and whether they find the records in their order.
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

    /// Calls a closure with each record that a statement selects and the evaluator accepts, until it returns `false`.
    func search(
        _ sql: String, _ decoder: RowDecoder, _ resolver: RecordResolver,
        _ found: (StoredRecord, Statement) throws -> Bool
    ) throws {
        var evaluator = try evaluator()
        let resolver = resolver.single
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        while try statement.step() {
            let record = try decoder.decode(statement, on: connection)
            if try evaluator?.matches(record, resolving: resolver) == false { continue }
            if try !found(record, statement) { return }
        }
    }

    /// Returns the decoder for some fields and those that the evaluator needs, and the columns to select for it.
    func decoder(keys: [Record.FieldKey]?) throws -> (RowDecoder, selection: String) {
        guard let keys else {
            let statements = try connection.statements(for: table)
            return (statements.decoder, statements.selection)
        }
        let decoder = RowDecoder(table: table, keys: keysToRead(for: keys))
        return (decoder, decoder.selection)
    }
}

extension Connection: PlanSearching {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        if let ranked = try RankedPage(plan, on: self) { return try ranked.page() }
        guard var search = try search(for: plan, isPage: true) else { return [] }
        return try search.page()
    }

    func search(for plan: QueryPlan, isPage: Bool) throws -> PageSearch? {
        try PageSearch(plan, isPage: isPage, on: self)
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try records(for: ids, keys: keys, found: nil)
    }
}
