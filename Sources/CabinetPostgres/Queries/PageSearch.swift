import Cabinet
import SQLSupport

/// The search for the records of a plan in a PostgreSQL database.
struct PageSearch: PlanSearch {
    let translation: PlanTranslation<PostgresDialect>
    let context: TransactionContext
    /// The condition that a row is in the database and in the query's zone; it precedes all others.
    private let isInScope: SQLCondition
    /// The points of a row's relevance; `nil` if SQL does not compute it.
    private let points: String?

    /// Translates a plan.
    ///
    /// - Returns: `nil` if the database lacks the type or the zone.
    init?(_ plan: QueryPlan, in context: TransactionContext) throws {
        guard let databaseID = context.databaseID, let table = context.catalog.tablesByType[plan.recordType] else {
            return nil
        }
        try context.refreshZones()
        guard let scope = ZoneScope(of: plan, in: context.zones) else { return nil }
        let terms = RowTerms(table, fields: plan.fields, catalog: context.catalog)
        var translator = FilterTranslator(
            terms, scope: scope, zones: context.zones, builder: SQLBuilder(database: databaseID),
            dialect: PostgresDialect(
                database: databaseID, tablesOverTermLimit: try context.tablesOverTermLimit(for: plan),
                ranksRecords: try context.ranksRecords(of: plan, in: table)))
        var conditions = [SQLCondition.sql(terms.isInDatabase)]
        if case .one(_, let id, _) = scope {
            conditions.append(.sql("\(terms.name).\"___zone\" = \(translator.builder.parameter(.integer(id)))"))
        }
        isInScope = .all(conditions)
        points = translator.dialect.ranksRecords ? PostgresDialect.points(plan.searches, &translator) : nil
        translation = try PlanTranslation(plan, translator)
        self.context = context
    }

    // MARK: Statements

    /// Returns a statement over the query's rows.
    ///
    /// - Parameters:
    ///   - selection: The columns to select.
    ///   - condition: A condition in addition to the database and the zone; `nil` for the necessary condition of the filter.
    ///   - end: The clauses that follow the conditions.
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

    /// Returns a statement over the query's rows and their relevance, if the order needs it.
    ///
    /// - Parameters:
    ///   - selection: The columns to select.
    ///   - condition: A condition in addition to the database and the zone.
    ///   - range: A condition that may contain the relevance.
    ///   - end: The clauses that follow the conditions.
    /// - Returns: `nil` if no row can meet the conditions.
    func statement(
        _ selection: String, where condition: SQLCondition, range: SQLCondition, _ end: String, builder: SQLBuilder
    ) -> SQLStatement? {
        guard let points else { return statement(selection, where: .all([condition, range]), end, builder: builder) }
        // OFFSET keeps PostgreSQL from computing the relevance once for each use of it.
        let rows = statement(
            "\(terms.name).*, \(points) AS \(PostgresDialect.points)", where: condition, " OFFSET 0", builder: builder)
        guard let rows, let clause = range.clause else { return nil }
        return SQLStatement(
            text: "SELECT \(selection) FROM (\(rows.text)) AS \(terms.name)\(clause)\(end)", values: rows.values)
    }

    /// Returns a decoder for some fields, and for those that the evaluator reads.
    func decoder(keys: [Record.FieldKey]?) -> RowDecoder {
        var known = RowDecoder.RowIdentity.nothing
        if case .one(let zoneID, _, _) = scope { known = .zone(zoneID) }
        return RowDecoder(table: table, keys: keys.map(keysToRead), known: known)
    }

    /// Returns the evaluation of the conditions that SQL has not decided.
    func evaluation<Extra>(
        _ decoder: RowDecoder, resolver: RecordResolver,
        _ extra: @escaping (QueryRow, Int, StoredRecord) throws -> Extra
    ) throws -> FilteredRows<Extra> {
        FilteredRows(context: context, decoder: decoder, filter: try evaluator(), resolver: resolver, extra: extra)
    }
}

extension TransactionContext: PlanSearching {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        if plan.searchesWords {
            return try await withTaskExecutorPreference(connection.executor) {
                if let ranked = try RankedPage(plan, in: self) { return try await ranked.records() }
                return try await PageSearch(plan, in: self)?.page() ?? []
            }
        }
        guard let search = try PageSearch(plan, in: self) else { return [] }
        if search.isSmall { return try await search.page() }
        return try await withTaskExecutorPreference(connection.executor) { try await search.page() }
    }

    func search(for plan: QueryPlan, isPage: Bool) throws -> PageSearch? { try PageSearch(plan, in: self) }
}
