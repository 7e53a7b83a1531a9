import Cabinet

/// Translates filters to SQL that selects exactly the rows that the filter language selects, as far as SQL can.
///
/// To add an operator: translate it in `FilterTranslator+Operators`, or leave it to the evaluator by returning `nil`.
struct FilterTranslator {
    let table: Table
    let fields: FieldTypes
    let scope: ZoneScope
    let connection: Connection
    var builder = SQLBuilder()
    private var comparisons = 0

    /// The most comparisons that SQL is asked to make for a row: what SQLite needs to plan a query grows with their
    /// square.
    private static let maximumComparisons = 500

    /// Whether the records can be found by the index of their IDs.
    var usesIDIndex = false
    /// Whether the records can be found by several indexes, one for each part of an OR.
    var usesSeveralIndexes = false

    init(plan: QueryPlan, table: Table, scope: ZoneScope, connection: Connection) {
        self.table = table
        fields = plan.fields
        self.scope = scope
        self.connection = connection
    }

    /// Splits a filter into a condition and what SQL cannot say.
    ///
    /// - Returns: A record matches the filter if its row meets the condition and it matches the remainder.
    mutating func split(_ filter: Filter) throws -> (condition: SQLCondition, remainder: Filter?) {
        var conditions: [SQLCondition] = []
        var remainders: [Filter] = []
        for part in Self.conjuncts(of: filter) {
            if let candidates = candidates(for: part) { conditions.append(candidates) }
            let before = (values: builder.values.count, comparisons: comparisons)
            if let condition = try translation(of: part), builder.values.count <= SQLBuilder.maximumParameters {
                conditions.append(noteIndex(for: part, condition))
            } else {
                builder.truncate(to: before.values)
                comparisons = before.comparisons
                remainders.append(part)
            }
        }
        let remainder: Filter? = remainders.isEmpty ? nil : remainders.count == 1 ? remainders[0] : .and(remainders)
        return (.all(conditions), remainder)
    }

    /// The filters that all have to match for a filter to match.
    private static func conjuncts(of filter: Filter) -> [Filter] {
        if case .and(let children) = filter { children.flatMap(conjuncts) } else { [filter] }
    }

    /// The condition that says the same as a filter, or `nil` if SQL cannot say it.
    private mutating func translation(of filter: Filter) throws -> SQLCondition? {
        let condition: SQLCondition?
        switch filter {
        case .constant(let value): condition = value ? .always : .never
        case .comparison(let comparison): condition = try translation(of: comparison)
        case .and(let children): condition = try translations(of: children).map(SQLCondition.all)
        case .or(let children): condition = try translations(of: children).map(SQLCondition.any)
        case .not(let child): condition = try translation(of: child)?.negated
        }
        return condition.flatMap { $0.depth <= SQLCondition.maximumDepth ? $0 : nil }
    }

    private mutating func translations(of filters: [Filter]) throws -> [SQLCondition]? {
        var conditions: [SQLCondition] = []
        conditions.reserveCapacity(filters.count)
        for filter in filters {
            guard let condition = try translation(of: filter) else { return nil }
            conditions.append(condition)
        }
        return conditions
    }

    private mutating func translation(of comparison: Filter.Comparison) throws -> SQLCondition? {
        comparisons += 1
        guard comparisons <= Self.maximumComparisons else { return nil }
        if let found = search(comparison) { return found }
        // SQL neither folds text as Unicode does, nor reads all numbers in lists exactly.
        guard comparison.options.isEmpty, comparison.quantifier == .single else { return nil }
        let left = SQLOperand(comparison.left, table: table, fields: fields)
        let right = SQLOperand(comparison.right, table: table, fields: fields)
        switch comparison.operator {
        case .equal: return try equal(left, right)
        case .notEqual: return try equal(left, right)?.negated
        case .lessThan: return ordered(left, "<", right)
        case .lessThanOrEqual: return ordered(left, "<=", right)
        case .greaterThan: return ordered(left, ">", right)
        case .greaterThanOrEqual: return ordered(left, ">=", right)
        case .between: return between(left, right)
        case .in: return try element(left, of: right)
        case .contains: return try element(right, of: left)
        case .beginsWith: return beginning(left, right)
        case .endsWith: return ending(left, right)
        case .like: return pattern(left, right)
        case .matches, .tokenMatches: return nil
        }
    }
}
