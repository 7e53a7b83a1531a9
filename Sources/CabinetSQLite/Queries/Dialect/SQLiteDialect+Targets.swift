import Cabinet
import SQLSupport

/// Conditions on the targets of references: `list.name == 'Groceries'`.
extension SQLiteDialect {
    static func targets(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest? { nil }

    /// The most targets that are worth a search beforehand, if the page ends early, and if it does not.
    ///
    /// With more of them, many records match, and the first ones of an order are found sooner by looking at one after the other.
    private static let maximumTargets = (limited: 32, unlimited: 1024)

    /// The condition that the records refer to one of the few targets that meet a condition.
    ///
    /// The targets are searched first. The index of the reference then finds the records; otherwise SQLite would read the target of
    /// every record.
    ///
    /// - Returns: `nil` if the comparison is not of this kind, or if there are too many targets.
    static func searchedTargets(
        _ comparison: Filter.Comparison, _ translator: inout Translator
    ) throws -> SQLCondition? {
        let terms = translator.terms
        // A comparison that holds for nil holds for records without a target.
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
    /// The record IDs that a statement finds.
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

    /// A statement with its parameters bound.
    func statement(_ sql: String, _ builder: SQLBuilder) throws -> Statement {
        // A statement with very many parameters is too large to keep for another query like it.
        let isSmall = builder.values.count <= 1000
        let statement = isSmall ? try statements.statement(sql) : try Statement(sql, on: handle)
        try builder.bind(to: statement)
        return statement
    }
}

extension Filter.Expression {
    /// Whether this is a constant, and not nil.
    fileprivate var isValue: Bool {
        switch self {
        case .constant(let value): value != nil
        case .list(let elements): elements.allSatisfy(\.isConstant)
        default: false
        }
    }
}
