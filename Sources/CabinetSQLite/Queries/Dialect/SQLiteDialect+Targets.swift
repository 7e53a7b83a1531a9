import Cabinet
import SQLSupport

/// Conditions on the targets of references: `list.name == 'Groceries'`.
extension SQLiteDialect {
    static func targets(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest? { nil }

    /// The largest number of targets to search for, with and without a limit on the page.
    ///
    /// If more targets match, many records match. Then the first records of an order are found sooner by a scan.
    private static let maximumTargets = (limited: 32, unlimited: 1024)

    /// Translates a comparison of the references' targets by searching for the targets first, if there are few.
    ///
    /// The index of the reference then finds the records. Without this, SQLite would read the target of every record.
    ///
    /// - Returns: `nil` if the comparison is not of this kind, or if there are too many targets.
    static func searchedTargets(
        _ comparison: Filter.Comparison, _ translator: inout Translator
    ) throws -> SQLCondition? {
        let terms = translator.terms
        // A comparison that holds for nil also holds for records without a target.
        guard comparison.quantifier == .single, comparison.operator != .notEqual, comparison.right.isValue,
            case .field(let path) = comparison.left, let dot = path.firstIndex(of: "."),
            case .term(let reference) = terms.meaning(of: String(path[..<dot])), reference.type == .reference,
            !reference.isID, reference.targetZone == .row, case .term(let whole) = terms.meaning(of: path),
            whole.type != .location
        else { return nil }
        let rest = String(path[path.index(after: dot)...])
        var targetComparison = comparison
        targetComparison.left = .field(rest)
        let (connection, isLimited) = (translator.dialect.connection, translator.dialect.isLimited)
        let maximum = isLimited ? maximumTargets.limited : maximumTargets.unlimited
        var targets: [RecordID] = []
        var statements: [SQLStatementText] = []
        for table in terms.tables(with: String(rest.prefix { $0 != "." })) {
            var search = Translator(
                terms.terms(of: table, name: table.quoted), scope: translator.scope, connection: connection,
                isLimited: isLimited)
            let parts = try search.split(.comparison(targetComparison))
            guard parts.remainder == nil else { return nil }
            let zone = search.zoneCondition(of: nil)
            guard let clause = SQLCondition.all([zone, parts.bounds.necessary]).clause else { continue }
            statements += search.dialect.targetLookups
            let limit = search.builder.parameter(.integer(Int64(maximum + 1)))
            let name = search.terms.name
            let sql =
                "SELECT \(name).\"___recordID\", \(name).\"___zone\" FROM \(table.quoted)\(clause) LIMIT \(limit)"
            statements.append(SQLStatementText(sql: sql, builder: search.builder))
            targets += try connection.ids(sql, search.builder)
            guard targets.count <= maximum else { return nil }
        }
        guard let condition = translator.isMember(reference, ofReferences: targets)?.condition else { return nil }
        translator.dialect.targetLookups += statements
        translator.dialect.usesFieldIndex = true
        translator.dialect.usesEqualValues = true
        return condition
    }
}

extension Connection {
    /// Returns the record IDs that a statement finds.
    fileprivate func ids(_ sql: String, _ builder: SQLBuilder) throws -> [RecordID] {
        let statement = try statement(sql, builder)
        defer { statement.reset() }
        var ids: [RecordID] = []
        while try statement.step() {
            guard let name = statement.string(0), let zoneID = try zone(statement.int64(1)) else {
                throw SQLiteFailure.damaged(path: path, "a row that \(sql) finds has no name or no zone")
            }
            ids.append(RecordID(recordName: name, zoneID: zoneID))
        }
        return ids
    }

    /// Returns a statement with bound parameters.
    func statement(_ sql: String, _ builder: SQLBuilder) throws -> Statement {
        // A statement with very many parameters is not worth caching.
        let isSmall = builder.values.count <= 1000
        let statement = isSmall ? try statements.statement(sql) : try Statement(sql, on: handle)
        try builder.bind(to: statement)
        return statement
    }
}

extension Filter.Expression {
    /// Whether this is a constant other than nil.
    fileprivate var isValue: Bool {
        switch self {
        case .constant(let value): value != nil
        case .list(let elements): elements.allSatisfy(\.isConstant)
        default: false
        }
    }
}
