import CSQLite
import Cabinet
import SQLSupport

/// A page in the order of relevance to one search, read from the best records on.
///
/// A record's relevance needs its whole text. The full-text index selects the records step by step, so that every record of a step is
/// more relevant than all records of the later steps. The reading ends with the step that fills the page.
struct RankedPage {
    private let plan: QueryPlan
    private let search: SearchText
    private let table: Table
    private let index: TableIndexes.Words
    private let connection: Connection
    /// The statement for the numbers and the texts of the rows that the index finds.
    private let sql: String
    private let builder: SQLBuilder
    /// The number of the parameter with the index's query.
    private let parameter: Int32

    /// The largest page that is collected in memory.
    private static let maximumLimit = 1000

    /// Translates a plan.
    ///
    /// - Returns: `nil` if the records are in another order or cannot be selected so, or if another index finds fewer of them.
    init?(_ plan: QueryPlan, on connection: Connection) throws {
        guard let ranked = plan.rankedSearch, plan.limit <= Self.maximumLimit,
            connection.catalog.layout == Layout.version,
            let table = connection.catalog.tablesByType[plan.recordType], let index = table.words,
            ranked.search.keys == index.fields,
            ranked.search.text.words.allSatisfy({ $0.text.utf8.count <= SQLiteDialect.maximumWordLength }),
            let scope = ZoneScope(of: plan, in: try connection.refreshedZones())
        else { return nil }
        let terms = RowTerms(table, fields: plan.fields, catalog: connection.catalog)
        let translation = try PlanTranslation(
            plan.evaluating(ranked.rest),
            FilterTranslator(terms, scope: scope, connection: connection, isLimited: false))
        var translator = translation.translator
        guard translation.parts.remainder == nil, !translator.dialect.usesFieldIndex,
            !translator.dialect.usesVirtualTable
        else { return nil }
        let query = translator.builder.parameter(.text(""))
        parameter = Int32(clamping: translator.builder.values.count)
        let zone = translator.zoneCondition(of: plan.order)
        let found = SQLCondition.sql("\(index.quoted) MATCH \(query)")
        guard let clause = SQLCondition.all([found, zone, translation.parts.bounds.necessary]).clause else {
            return nil
        }
        let texts = index.positions.map { "\(table.quoted).\(table.columns[$0].quoted)" }
        sql = """
            SELECT \(terms.insertionNumber), \(texts.joined(separator: ", ")) FROM \(index.quoted) \
            CROSS JOIN \(table.quoted) ON \(terms.insertionNumber) = \(index.quoted).rowid\(clause)
            """
        builder = translator.builder
        self.plan = plan
        search = ranked.search.text
        self.table = table
        self.index = index
        self.connection = connection
    }

    /// Returns the page's records.
    func page() throws -> [StoredRecord] {
        var best = BestRows(plan)
        try read(into: &best)
        return try records(best.sorted)
    }

    /// Reads the rows of the steps until the page is full.
    private func read(into best: inout BestRows) throws {
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        var scan = SearchScan(search)
        var limit = Int64.max
        for group in RankedSteps(search).groups {
            let few = try group.few.flatMap { try isFew($0.query) ? $0 : nil }
            for step in few.map({ [$0] }) ?? group.many {
                if best.isFull { return }
                defer { limit = step.least }
                guard best.canHold(step.least) else { continue }
                statement.reset()
                try statement.bind(step.query, at: parameter)
                while try statement.step() {
                    scan.restart()
                    for column in 1...Int32(index.positions.count) where statement.kind(column) == SQLITE_TEXT {
                        try scan.read(statement.utf8(column))
                    }
                    let points = scan.relevance
                    if points >= step.least, points < limit { best.add(points, row: statement.int64(0)) }
                }
            }
            if few != nil, group.fewAreAll { return }
        }
    }

    /// Whether the index finds few rows by a query.
    private func isFew(_ query: String) throws -> Bool {
        let rows = "SELECT 1 FROM \(index.quoted) WHERE \(index.quoted) MATCH ? LIMIT \(SQLiteDialect.fewRows)"
        let statement = try connection.statements.statement("SELECT count(*) FROM (\(rows))")
        defer { statement.reset() }
        try statement.bind(query, at: 1)
        return try statement.step() && statement.int64(0) < SQLiteDialect.fewRows
    }

    /// Returns the records of some rows, in the order of the rows.
    private func records(_ rows: [Int64]) throws -> [StoredRecord] {
        let decoder = RowDecoder(table: table, keys: plan.keys)
        let statement = try connection.statements.statement(
            "SELECT \(decoder.selection) FROM \(table.quoted) WHERE \"___insertion\" = ?")
        defer { statement.reset() }
        return try rows.compactMap { row in
            statement.reset()
            try statement.bind(row, at: 1)
            return try statement.step() ? decoder.decode(statement, on: connection) : nil
        }
    }
}

/// The most relevant rows that were read, at most as many as a page has.
private struct BestRows {
    private let limit: Int
    private let position: (points: Int64, row: Int64)?
    private var rows: [(points: Int64, row: Int64)] = []
    /// The last row of a full page: no later one is added.
    private var end: (points: Int64, row: Int64)?

    init(_ plan: QueryPlan) {
        limit = plan.limit
        position = plan.position.map { position in
            guard case .int64(let points)?? = position.values.first else { return (0, .max) }
            return (points, position.insertionNumber)
        }
    }

    var isFull: Bool { rows.count >= limit }

    /// The numbers of the rows of the page.
    var sorted: [Int64] { rows.sorted(by: Self.isBefore).prefix(limit).map(\.row) }

    /// Returns whether the page may have rows with some points or more.
    func canHold(_ points: Int64) -> Bool { position.map { points <= $0.points } ?? true }

    mutating func add(_ points: Int64, row: Int64) {
        let row = (points, row)
        if let position, !Self.isBefore(position, row) { return }
        if let end, !Self.isBefore(row, end) { return }
        rows.append(row)
        guard rows.count == 2 * limit else { return }
        rows.sort(by: Self.isBefore)
        rows.removeLast(limit)
        end = rows.last
    }

    private static func isBefore(_ left: (points: Int64, row: Int64), _ right: (points: Int64, row: Int64)) -> Bool {
        left.points != right.points ? left.points > right.points : left.row < right.row
    }
}
