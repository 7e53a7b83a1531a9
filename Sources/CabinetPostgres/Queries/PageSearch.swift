import Cabinet
import SQLSupport

/// The search for the records of a plan: statements for what SQL can decide, and the evaluator for the rest.
struct PageSearch {
    let plan: QueryPlan
    let view: TransactionContext
    let table: Table
    let terms: RowTerms
    let scope: ZoneScope
    /// What the filter was split into.
    let parts: FilterTranslator.Parts
    var builder: SQLBuilder
    /// The condition that a row is of the database and in the query's zone; it comes before all others.
    private let isInScope: SQLCondition

    /// Translates a plan.
    ///
    /// - Returns: `nil` if there are no records of the type or in the zone.
    init?(_ plan: QueryPlan, in view: TransactionContext) throws {
        guard let databaseID = view.databaseID, let table = view.catalog.tablesByType[plan.recordType] else {
            return nil
        }
        try view.refreshZones()
        guard let scope = ZoneScope(of: plan, in: view.zones) else { return nil }
        terms = RowTerms(table, fields: plan.fields, catalog: view.catalog)
        var translator = FilterTranslator(
            terms, scope: scope, zones: view.zones, builder: SQLBuilder(database: databaseID),
            dialect: PostgresDialect(
                database: databaseID, tablesOverTermLimit: try view.tablesOverTermLimit(for: plan)))
        var conditions = [SQLCondition.sql(terms.isInDatabase)]
        if case .one(_, let id, _) = scope {
            conditions.append(.sql("\(terms.name).\"___zone\" = \(translator.builder.parameter(.integer(id)))"))
        }
        isInScope = .all(conditions)
        parts = try translator.split(plan.filter)
        builder = translator.builder
        self.plan = plan
        self.view = view
        self.table = table
        self.scope = scope
    }

    // MARK: Statements

    /// A statement over the query's rows.
    ///
    /// - Parameters:
    ///   - selection: What to select.
    ///   - condition: Which rows, beside those of the database and the zone; `nil` for those that may match.
    ///   - end: What follows the conditions.
    /// - Returns: `nil` if no row can meet the conditions.
    func statement(
        _ selection: String, where condition: SQLCondition? = nil, _ end: String = "", builder: SQLBuilder? = nil
    ) -> SQLStatement? {
        let condition = condition ?? parts.bounds.necessary
        if condition.isNever { return nil }
        let clause = SQLCondition.all([isInScope, condition]).text
        return SQLStatement(
            text: "SELECT \(selection) FROM \(terms.source) WHERE \(clause)\(end)",
            values: (builder ?? self.builder).values)
    }

    /// What makes records of rows, with some fields and those that the evaluator reads.
    func decoder(keys: [Record.FieldKey]?) -> RowDecoder {
        var known = RowDecoder.RowIdentity.nothing
        if case .one(let zoneID, _, _) = scope { known = .zone(zoneID) }
        guard let keys else { return RowDecoder(table: table, keys: nil, known: known) }
        let others = parts.remainder?.keysToFetch(in: plan.fields).filter { SystemField(rawValue: $0) == nil } ?? []
        return RowDecoder(table: table, keys: keys + Set(others).subtracting(keys).sorted(), known: known)
    }

    /// The evaluation of what SQL has not decided.
    func evaluation<Extra>(
        _ decoder: RowDecoder, resolver: RecordResolver,
        _ extra: @escaping (QueryRow, Int, StoredRecord) throws -> Extra
    ) throws -> FilteredRows<Extra> {
        FilteredRows(
            view: view, decoder: decoder,
            filter: try parts.remainder.map { try CompiledFilter($0, fields: plan.fields) }, resolver: resolver,
            extra: extra)
    }

    // MARK: Answers

    /// The number of the plan's records.
    func count() throws -> Int {
        // What surely matches is only counted; the evaluator sees the rest.
        var count = 0
        if let sure = statement("count(*)", where: parts.bounds.sufficient) {
            count = Int(clamping: try view.query(sure.text, sure.values).first?.integer(0) ?? 0)
        }
        if parts.remainder == nil { return count }
        try forEachUnsure { _, _ in count += 1 }
        return count
    }

    /// Hands on the records that match, of those that SQL is not sure about, and the values of an expression.
    func forEachUnsure(
        selecting expression: String = "NULL", _ body: (StoredRecord, (row: QueryRow, column: Int)) throws -> Void
    ) throws {
        let unsure = SQLCondition.all([parts.bounds.necessary, parts.bounds.sufficient.negated])
        try forEach(where: unsure, selecting: expression, body)
    }

    /// Hands on the records that match and that meet a condition, and the values of an expression.
    func forEach(
        where condition: SQLCondition, selecting expression: String,
        _ body: (StoredRecord, (row: QueryRow, column: Int)) throws -> Void
    ) throws {
        let decoder = decoder(keys: [])
        guard let statement = statement("\(decoder.selection(from: terms.name)), \(expression)", where: condition)
        else { return }
        var evaluation = try evaluation(decoder, resolver: RecordResolver(view)) { row, column, _ in
            (row: row, column: column)
        }
        try evaluation.run(statement) { found in
            for (record, extra) in found { try body(record, extra) }
            return true
        }
    }
}

extension TransactionContext {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        guard let search = try PageSearch(plan, in: self) else { return [] }
        return try search.page()
    }

    /// Counts a query's records, wherever the page begins and ends.
    func count(matching plan: QueryPlan) throws -> Int {
        guard let search = try PageSearch(plan, in: self) else { return 0 }
        return try search.count()
    }
}
