import Cabinet
import Foundation

/// Translates filters to SQL that selects exactly the rows that the filter language selects, as far as SQL can.
///
/// To add an operator: translate it in `FilterTranslator+Operators`, or leave it to the evaluator by returning `nil`.
struct FilterTranslator {
    let terms: RowTerms
    let scope: ZoneScope
    let connection: Connection
    /// Whether only the first records of an order are wanted.
    let isLimited: Bool
    var builder = SQLBuilder()
    private var comparisons = 0

    /// The most comparisons that SQL is asked to make for a row: what SQLite needs to plan a query grows with their
    /// square.
    private static let maximumComparisons = 500

    /// Whether the records can be found by the index of their IDs.
    var usesIDIndex = false
    /// Whether the records can be found by the index of a field, or by several of them, one for each part of an OR.
    var usesFieldIndex = false
    /// How many lists' elements the condition that is being made is about.
    var listLevel = 0
    /// The statements that looked for the targets of references beforehand.
    var probes: [SQLStatementText] = []

    init(_ terms: RowTerms, scope: ZoneScope, connection: Connection, isLimited: Bool) {
        self.terms = terms
        self.scope = scope
        self.connection = connection
        self.isLimited = isLimited
    }

    /// What a filter was split into: a record matches it if its row meets the condition and it matches the remainder.
    struct Parts {
        let condition: SQLCondition
        /// What the condition says, as a filter; `nil` if it says nothing.
        let translated: Filter?
        /// What SQL cannot say; `nil` if it can say all.
        let remainder: Filter?
    }

    /// Splits a filter into a condition and what SQL cannot say.
    mutating func split(_ filter: Filter) throws -> Parts {
        var conditions: [SQLCondition] = []
        var translated: [Filter] = []
        var remainders: [Filter] = []
        for part in Self.conjuncts(of: filter) {
            if let candidates = candidates(for: part) { conditions.append(candidates) }
            let before = (values: builder.values.count, comparisons: comparisons)
            if let condition = try narrowed(part) ?? translation(of: part),
                builder.values.count <= SQLBuilder.maximumParameters
            {
                conditions.append(noteIndex(for: part, condition))
                translated.append(part)
            } else {
                builder.truncate(to: before.values)
                comparisons = before.comparisons
                remainders.append(part)
            }
        }
        return Parts(
            condition: .all(conditions), translated: Self.conjunction(translated),
            remainder: Self.conjunction(remainders))
    }

    /// The filters that all have to match for a filter to match.
    private static func conjuncts(of filter: Filter) -> [Filter] {
        if case .and(let children) = filter { children.flatMap(conjuncts) } else { [filter] }
    }

    private static func conjunction(_ filters: [Filter]) -> Filter? {
        filters.count < 2 ? filters.first : .and(filters)
    }

    /// The condition that the records refer to others that meet a condition, if it is better to look for those first.
    private mutating func narrowed(_ filter: Filter) throws -> SQLCondition? {
        guard case .comparison(let comparison) = filter else { return nil }
        let count = builder.values.count
        if let condition = try condition(bySeekingTargetsOf: comparison) {
            usesFieldIndex = true
            return condition
        }
        builder.truncate(to: count)
        return nil
    }

    // MARK: Logic

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
        if case .searchableText = comparison.left { return tests(of: comparison) }
        if let isTrue = comparison.constantResult { return isTrue ? .always : .never }
        if comparison.quantifier != .single { return try quantified(comparison) }
        // Regular expressions ignore case themselves, and words are always folded.
        let isFolded = ![.matches, .tokenMatches].contains(comparison.operator)
        let folding = isFolded ? comparison.options : []
        let left = operand(comparison.left, folding: folding)
        let right = operand(comparison.right, folding: folding)
        return try self.comparison(left, comparison.operator, right, comparison.options)
    }

    /// Compares two operands.
    ///
    /// - Parameter options: The comparison's options, under which text in both operands was folded, if the operator folds.
    mutating func comparison(
        _ left: SQLOperand, _ operator: Filter.Operator, _ right: SQLOperand, _ options: Filter.Options
    ) throws -> SQLCondition? {
        switch `operator` {
        case .equal: try equal(left, right)
        case .notEqual: try equal(left, right)?.negated
        case .lessThan: ordered(left, "<", right)
        case .lessThanOrEqual: ordered(left, "<=", right)
        case .greaterThan: ordered(left, ">", right)
        case .greaterThanOrEqual: ordered(left, ">=", right)
        case .between: between(left, right, options)
        case .in: try element(left, of: right, options)
        case .contains: try element(right, of: left, options)
        case .beginsWith: beginning(left, right)
        case .endsWith: ending(left, right)
        case .like: pattern(left, right)
        case .matches, .tokenMatches: test(left, `operator`, right, options)
        }
    }

    // MARK: Values

    /// A parameter for a value that SQL compares as the filter language does; `nil` for other values.
    mutating func parameter(_ value: FieldValue) -> String? {
        if case .reference = value { return nil }
        return value.sqlValue.map { builder.parameter($0) }
    }
}

/// A statement's text and the values of its parameters, to be explained.
struct SQLStatementText {
    let sql: String
    let builder: SQLBuilder
}

extension Filter.Comparison {
    /// What the comparison gives for every record, if it reads none; `nil` if it reads one, or fails.
    fileprivate var constantResult: Bool? {
        guard left.isConstant, right.isConstant else { return nil }
        guard var filter = try? CompiledFilter(.comparison(self), fields: [:]) else { return nil }
        return try? filter.matches(Self.noRecord)
    }

    private static let noRecord = StoredRecord(
        recordID: RecordID(recordName: "_"), recordType: "_", sequenceNumber: 0, creationDate: .distantPast,
        creatorName: "_", modificationDate: .distantPast, lastModifierName: "_", fields: .empty)
}

extension Filter.Expression {
    /// Whether the value is the same for all records.
    var isConstant: Bool {
        switch self {
        case .constant: true
        case .field, .variable, .searchableText, .unstorable: false
        case .list(let elements): elements.allSatisfy(\.isConstant)
        case .member(let operand, _), .negative(let operand): operand.isConstant
        case .element(let list, .at(let position)): list.isConstant && position.isConstant
        case .element(let list, _): list.isConstant
        case .arithmetic(let left, _, let right), .distance(let left, let right): left.isConstant && right.isConstant
        }
    }
}
