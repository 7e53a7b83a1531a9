import Cabinet

/// Conditions on the targets of references: `list.name == 'Groceries'`.
extension FilterTranslator {
    /// The most steps of a path that are looked for from the end: PostgreSQL tries joins in many orders.
    private static let mostSteps = 5

    /// The condition that a record refers to one that meets a condition.
    ///
    /// PostgreSQL chooses whether it looks for the targets first, and for the records by them, or for the target of each record.
    ///
    /// - Returns: `nil` if the comparison is none of this kind.
    mutating func test(ofTargetsOf comparison: Filter.Comparison) -> SQLTest? {
        guard comparison.right.isConstant, case .field(let text) = comparison.left,
            let path = try? FieldPath(text), path.isLong, path.steps.count <= Self.mostSteps,
            case .name(let next) = path.steps[1],
            case .term(let reference) = terms.meaning(of: path.first), reference.type == .reference,
            terms.fields.recordTypes != nil
        else { return nil }
        var opposite = comparison
        opposite.left = .field(path.steps.dropFirst().map(\.text).joined(separator: "."))
        let isNil: Bool = comparison.right == .constant(nil)
        // What holds for nil holds for records without a target, so the opposite is looked for.
        switch (comparison.quantifier, comparison.operator) {
        case (.all, _): return nil
        case (.none, _): opposite.quantifier = .any
        case (.single, .equal) where isNil: opposite.operator = .notEqual
        case (.single, .notEqual) where !isNil: opposite.operator = .equal
        case (.single, _), (.any, _): return seek(reference, to: next, where: opposite)
        }
        return seek(reference, to: next, where: opposite)?.negated
    }

    private mutating func seek(
        _ reference: SQLTerm, to step: Record.FieldKey, where comparison: Filter.Comparison
    ) -> SQLTest? {
        let tables = terms.tables(with: step)
        guard !tables.isEmpty, tables.count <= 8 else { return nil }
        let (origin, originScope) = (terms, scope)
        defer { (terms, scope) = (origin, originScope) }
        // Users are in the default zone, and so is what they refer to.
        if reference.targetZone == .default { scope = .one(.default, id: Layout.defaultZone) }
        var zone: Int64?
        if case .one(_, let id) = scope { zone = id }
        targetCount += 1
        let alias = "\"r\(targetCount)\""
        var searches: [String] = []
        var doubts: [String] = []
        for table in tables {
            terms = origin.terms(of: table, name: alias)
            guard let test = test(of: comparison) else { return nil }
            let columns = "\(zone == nil ? "\(alias).\"___zone\", " : "")\(alias).\"___recordID\""
            let isInZone = zone.map { " AND \(alias).\"___zone\" = \($0)" } ?? ""
            let begin = "SELECT \(columns) FROM \(terms.source) WHERE \(terms.isInDatabase)\(isInZone)"
            if !test.condition.isNever { searches.append("\(begin) AND (\(test.condition.text))") }
            if !test.unsure.isEmpty {
                let cases = test.unsure.map { "WHEN \($0) THEN TRUE" }.joined(separator: " ")
                doubts.append("\(begin) AND CASE \(cases) ELSE FALSE END")
            }
        }
        let operand = zone == nil ? "(\(origin.name).\"___zone\", \(reference.text))" : reference.text
        func isAmong(_ searches: [String]) -> String {
            "\(operand) IN (\(searches.joined(separator: " UNION ALL ")))"
        }
        let length = (searches + doubts).reduce(0) { $0 + $1.utf8.count }
        guard length <= 2 * Self.maximumLength else { return nil }
        return SQLTest(
            searches.isEmpty ? .never : .sql(isAmong(searches)), unsure: doubts.isEmpty ? [] : [isAmong(doubts)])
    }
}

extension FieldPath.Step {
    /// The step as it is written in a path.
    fileprivate var text: String {
        switch self {
        case .name(let name): name
        case .collection(let collection): collection.rawValue
        }
    }
}
