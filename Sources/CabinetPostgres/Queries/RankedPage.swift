import Cabinet
import SQLSupport

/// A page whose order is the relevance to one search, read by several statements.
///
/// A statement finds rows that are more relevant than all rows of the later ones. The statement that fills the page is the last.
struct RankedPage {
    /// The plan without the search.
    private let search: PageSearch
    private let steps: [RankedQueries.Step]
    private let keyset: KeysetTranslator

    /// The number of rows below which they are read at once.
    private static let fewRows = 100

    /// Translates a plan.
    ///
    /// - Returns: `nil` if the records are in another order or cannot be selected so.
    init?(_ plan: QueryPlan, in context: TransactionContext) throws {
        guard let ranked = plan.rankedSearch, plan.limit <= PageSearch.smallPageLimit,
            let search = try PageSearch(plan.evaluating(ranked.rest), in: context),
            search.translator.dialect.ranksRecords, search.parts.remainder == nil, let keyset = search.keyset,
            let steps = RankedQueries(ranked.search.text, search.translator.dialect.databaseID)
        else { return nil }
        self.search = search
        self.steps = steps.steps
        self.keyset = keyset
    }

    /// Returns the page's records.
    func records() async throws -> [StoredRecord] {
        try search.context.begin()
        var page: [StoredRecord] = []
        var limit = Int64.max
        if case .int64(let points)?? = search.plan.position?.values.first { limit = points &+ 1 }
        func read(_ query: String, _ least: Int64) async throws {
            if page.count < search.plan.limit, least < limit {
                page += try await records(query, least, limit: limit)
                limit = least
            }
        }
        for step in steps where page.count < search.plan.limit && step.least < limit {
            if let few = step.few, try await isFew(few) {
                try await read(few, step.least)
            } else {
                for part in step.parts { try await read(part.query, part.least) }
            }
        }
        search.context.settleIfConfirmed()
        return Array(page.prefix(search.plan.limit))
    }

    /// Returns the first records that a query finds and whose relevance is in a range.
    private func records(_ query: String, _ least: Int64, limit: Int64) async throws -> [StoredRecord] {
        var (builder, ranges) = (keyset.builder, [SQLCondition.always])
        if let position = search.plan.position { ranges = keyset.ranges(after: position, &builder) }
        let points = "\(search.terms.name).\(PostgresDialect.points)"
        let isInStep = SQLCondition.sql("\(points) >= \(least) AND \(points) < \(limit)")
        var decoder = search.decoder(keys: search.plan.keys)
        let condition = SQLCondition.all([isFound(query, &builder), search.parts.bounds.necessary])
        let statement = search.statement(
            decoder.selection(from: search.terms.name), where: condition, range: .all([isInStep, .any(ranges)]),
            "\(search.orderClause(keyset)) LIMIT \(search.plan.limit)", builder: builder)
        guard let statement else { return [] }
        var records: [StoredRecord] = []
        let context = search.context
        try context.connection.enqueue(statement.text, statement.values) { result in
            for row in result.rows { records.append(try decoder.decode(row, in: context)) }
        }
        try await context.connection.answers()
        return records
    }

    /// Whether the index finds few rows by a query.
    private func isFew(_ query: String) async throws -> Bool {
        var builder = search.builder
        let condition = isFound(query, &builder)
        guard let rows = search.statement("1", where: condition, builder: builder) else { return true }
        // MATERIALIZED makes PostgreSQL plan for all rows. It would plan for the first ones by reading the whole table.
        let sql = """
            WITH rows AS MATERIALIZED (\(rows.text)) \
            SELECT count(*) FROM (SELECT 1 FROM rows LIMIT \(Self.fewRows)) AS first
            """
        var count = 0
        try search.context.connection.enqueue(sql, rows.values) { result in
            count = Int(result.first?.integer(0) ?? 0)
        }
        try await search.context.connection.answers()
        return count < Self.fewRows
    }

    private func isFound(_ query: String, _ builder: inout SQLBuilder) -> SQLCondition {
        let parameter = builder.parameter(.text(query))
        return .sql("\(search.terms.name).\"___words\" @@ CAST(\(parameter) AS tsquery)")
    }
}
