import Cabinet
import SQLSupport

/// Conditions on the targets of references: `list.name == 'Groceries'`.
extension PostgresDialect {
    /// The limit of steps in a path that is joined: the number of join orders that PostgreSQL tries grows fast.
    private static let maximumSteps = 5

    static func searchedTargets(
        _ comparison: Filter.Comparison, _ translator: inout Translator
    ) throws -> SQLCondition? { nil }

    /// Returns the condition that a record refers to a record that meets a condition.
    ///
    /// PostgreSQL chooses whether to search for the targets first, or to look up the target of each record.
    ///
    /// - Returns: `nil` if the comparison is not of this kind.
    static func targets(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest? {
        let terms = translator.terms
        guard comparison.right.isConstant, case .field(let text) = comparison.left,
            let path = try? FieldPath(text), path.isLong, path.steps.count <= maximumSteps,
            case .name(let next) = path.steps[1],
            case .term(let reference) = terms.meaning(of: path.first), reference.type == .reference,
            terms.fields.recordTypes != nil
        else { return nil }
        var opposite = comparison
        opposite.left = .field(path.steps.dropFirst().map(\.text).joined(separator: "."))
        // A comparison that holds for nil also holds for records without a target, so search for its opposite.
        let isNil = isNil(comparison.right, translator)
        switch (comparison.quantifier, comparison.operator) {
        case (.all, _): return nil
        case (.single, .equal) where isNil == nil, (.single, .notEqual) where isNil == nil: return nil
        case (.none, _): opposite.quantifier = .any
        case (.single, .equal) where isNil == true: opposite.operator = .notEqual
        case (.single, .notEqual) where isNil == false: opposite.operator = .equal
        case (.single, _), (.any, _): return search(reference, to: next, where: opposite, &translator)
        }
        return search(reference, to: next, where: opposite, &translator)?.negated
    }

    /// Whether a constant operand is nil; `nil` if that is known only at run time.
    private static func isNil(_ operand: Filter.Expression, _ translator: Translator) -> Bool? {
        // Work on a copy, because the operand may add parameters.
        var translator = translator
        switch translator.operand(operand) {
        case .null: return true
        case .value, .list: return false
        case .term, .unknown: return nil
        }
    }

    private static func search(
        _ reference: SQLTerm, to step: Record.FieldKey, where comparison: Filter.Comparison,
        _ translator: inout Translator
    ) -> SQLTest? {
        let tables = translator.terms.tables(with: step)
        guard !tables.isEmpty, tables.count <= 8 else { return nil }
        let (origin, originScope) = (translator.terms, translator.scope)
        defer { (translator.terms, translator.scope) = (origin, originScope) }
        // User records are in the default zone, and so are the records that they refer to.
        if reference.targetZone == .default {
            translator.scope = .one(.default, id: ZoneTable.defaultZone, isOnly: false)
        }
        var zone: Int64?
        if case .one(_, let id, _) = translator.scope { zone = id }
        translator.dialect.targetCount += 1
        let alias = "\"r\(translator.dialect.targetCount)\""
        var searches: [String] = []
        var inexact: [String] = []
        for table in tables {
            translator.terms = origin.terms(of: table, name: alias)
            guard let test = translator.test(of: comparison) else { return nil }
            let columns = "\(zone == nil ? "\(alias).\"___zone\", " : "")\(alias).\"___recordID\""
            let isInZone = zone.map { " AND \(alias).\"___zone\" = \($0)" } ?? ""
            let rows =
                "SELECT \(columns) FROM \(translator.terms.source) WHERE \(translator.terms.isInDatabase)\(isInZone)"
            if !test.condition.isNever { searches.append("\(rows) AND (\(test.condition.text))") }
            if !test.inexactCases.isEmpty {
                let cases = test.inexactCases.map { "WHEN \($0) THEN TRUE" }.joined(separator: " ")
                inexact.append("\(rows) AND CASE \(cases) ELSE FALSE END")
            }
        }
        let operand = zone == nil ? "(\(origin.name).\"___zone\", \(reference.text))" : reference.text
        func isAmong(_ searches: [String]) -> String {
            "\(operand) IN (\(searches.joined(separator: " UNION ALL ")))"
        }
        let length = (searches + inexact).reduce(0) { $0 + $1.utf8.count }
        guard length <= 2 * Translator.maximumLength else { return nil }
        return SQLTest(
            searches.isEmpty ? .never : .sql(isAmong(searches)), inexactCases: inexact.isEmpty ? [] : [isAmong(inexact)]
        )
    }
}

extension FieldPath.Step {
    /// The step as it is written in a path.
    fileprivate var text: String {
        switch self {
        case .name(let name): name
        case .collection(let collection): collection.rawValue
        case .json(let json): json.description
        }
    }
}
