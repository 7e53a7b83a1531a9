import Cabinet

/// Conditions on the targets of references: `list.name == 'Groceries'`.
extension FilterTranslator {
    /// The most targets that are worth looking for beforehand, if the page ends early, and if it does not.
    ///
    /// With more of them, many records match, and the first ones of an order are found sooner by looking at one after the
    /// other.
    private static let maximumTargets = (limited: 32, unlimited: 1024)

    /// The condition that the records refer to one of the few targets that meet a condition.
    ///
    /// Such targets are looked for first. The records are then found by the index of the reference, where otherwise the
    /// target of every record would be looked at.
    ///
    /// - Returns: `nil` if the comparison is none of this kind, or if there are too many targets.
    mutating func condition(bySeekingTargetsOf comparison: Filter.Comparison) throws -> SQLCondition? {
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
        let maximum = isLimited ? Self.maximumTargets.limited : Self.maximumTargets.unlimited
        var targets: [RecordID] = []
        var statements: [SQLStatementText] = []
        for table in terms.tables(with: String(rest.prefix { $0 != "." })) {
            var translator = FilterTranslator(
                terms.terms(of: table), scope: scope, connection: connection, isLimited: isLimited)
            let parts = try translator.split(.comparison(targetComparison))
            guard parts.remainder == nil else { return nil }
            let zone = translator.zoneCondition(isOrderedByID: false)
            guard let clause = SQLCondition.all([zone, parts.condition]).clause else { continue }
            statements += translator.probes
            let limit = translator.builder.parameter(.integer(Int64(maximum + 1)))
            let name = translator.terms.name
            let sql =
                "SELECT \(name).\"___recordID\", \(name).\"___zone\" FROM \(table.quoted)\(clause) LIMIT \(limit)"
            statements.append(SQLStatementText(sql: sql, builder: translator.builder))
            targets += try connection.ids(sql, translator.builder)
            guard targets.count <= maximum else { return nil }
        }
        probes += statements
        return try membership(of: reference, in: targets)
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
        // One with very many parameters is too large to be kept for another query like it.
        let isSmall = builder.values.count <= 1000
        let statement = isSmall ? try statements.statement(sql) : try Statement(sql, on: handle)
        try builder.bind(to: statement)
        return statement
    }
}

extension Filter.Expression {
    /// Whether this is a value that is written down, and not nil.
    fileprivate var isValue: Bool {
        switch self {
        case .constant(let value): value != nil
        case .list(let elements): elements.allSatisfy(\.isConstant)
        default: false
        }
    }
}
