import Cabinet
import Foundation

/// Translates filters to SQL that selects exactly the rows that the filter language selects, as far as SQL can.
///
/// What a part of a filter that SQL cannot say leaves open is bounded from both sides, see ``SQLBounds``: SQL leaves out what cannot
/// match, and the evaluator decides about the rest.
///
/// To add an operator: translate it in `FilterTranslator+Operators`, or leave it to the evaluator by returning `nil`.
struct FilterTranslator {
    var terms: RowTerms
    var scope: ZoneScope
    let zones: ZoneTable
    var builder: SQLBuilder
    /// The numbers of the tables in which some row has too many words for the index of words.
    let crowdedTables: Set<Int64>
    private var comparisons = 0

    /// The most comparisons that SQL is asked to make for a row: planning a statement takes time for each of them.
    private static let maximumComparisons = 500
    /// The longest expression; what is made of others can grow with their product.
    static let maximumLength = 8_000

    /// How many lists' elements the condition that is being made is about.
    var listLevel = 0
    /// How many references the condition that is being made has followed, and so which names for tables are taken.
    var targetCount = 0

    init(
        _ terms: RowTerms, scope: ZoneScope, zones: ZoneTable, builder: SQLBuilder, crowdedTables: Set<Int64> = []
    ) {
        self.crowdedTables = crowdedTables
        self.terms = terms
        self.scope = scope
        self.zones = zones
        self.builder = builder
    }

    /// What a filter was split into.
    struct Parts {
        /// A record matches the filter only if its row meets the first condition, and surely if it meets the second.
        let bounds: SQLBounds
        /// What the first condition says, as a filter; `nil` if it says nothing exactly.
        let translated: Filter?
        /// What is left to be evaluated for the rows that meet it; `nil` if nothing is.
        let remainder: Filter?
    }

    /// Splits a filter into a condition and what SQL cannot say.
    mutating func split(_ filter: Filter) -> Parts {
        var candidates: [SQLCondition] = []
        var all: [SQLBounds] = []
        var translated: [Filter] = []
        var remainders: [Filter] = []
        for part in Self.conjuncts(of: filter) {
            if let condition = self.candidates(for: part) { candidates.append(condition) }
            let before = (values: builder.values.count, comparisons: comparisons)
            var bounds = self.bounds(of: part)
            if builder.values.count > SQLBuilder.maximumParameters {
                builder.truncate(to: before.values)
                comparisons = before.comparisons
                bounds = .unknown
            }
            all.append(bounds)
            if bounds.isExact { translated.append(part) } else { remainders.append(part) }
        }
        let bounds = SQLBounds.all(all)
        return Parts(
            bounds: SQLBounds(
                necessary: .all(candidates + [bounds.necessary]), sufficient: .all(candidates + [bounds.sufficient]),
                isExact: bounds.isExact),
            translated: Self.conjunction(translated), remainder: Self.conjunction(remainders))
    }

    /// The filters that all have to match for a filter to match.
    private static func conjuncts(of filter: Filter) -> [Filter] {
        if case .and(let children) = filter { children.flatMap(conjuncts) } else { [filter] }
    }

    private static func conjunction(_ filters: [Filter]) -> Filter? {
        filters.count < 2 ? filters.first : .and(filters)
    }

    // MARK: Logic

    private mutating func bounds(of filter: Filter) -> SQLBounds {
        switch filter {
        case .constant(let value): return SQLBounds(value ? SQLCondition.always : SQLCondition.never)
        case .comparison(let comparison):
            let count = builder.values.count
            if let test = test(of: comparison) { return SQLBounds(test) }
            builder.truncate(to: count)
            return .unknown
        case .and(let children): return .all(children.map { bounds(of: $0) })
        case .or(let children): return .any(children.map { bounds(of: $0) })
        case .not(let child): return bounds(of: child).negated
        }
    }

    /// The comparison in SQL; `nil` if SQL cannot make it.
    mutating func test(of comparison: Filter.Comparison) -> SQLTest? {
        comparisons += 1
        guard comparisons <= Self.maximumComparisons else { return nil }
        if let found = search(comparison) { return found }
        if case .searchableText = comparison.left { return searches(of: comparison) }
        if let isTrue = comparison.constantResult { return isTrue ? .always : .never }
        let count = builder.values.count
        if let found = test(ofTargetsOf: comparison) { return found }
        builder.truncate(to: count)
        if comparison.quantifier != .single { return quantified(comparison) }
        // Regular expressions ignore case themselves, and words are always folded.
        let isFolded = ![.matches, .tokenMatches].contains(comparison.operator)
        let folding = isFolded ? comparison.options : []
        let left = operand(comparison.left, folding: folding)
        let right = operand(comparison.right, folding: folding)
        return self.comparison(left, comparison.operator, right, comparison.options)
    }

    /// Compares two operands.
    ///
    /// - Parameter options: The comparison's options, under which text in both operands was folded, if the operator folds.
    mutating func comparison(
        _ left: SQLOperand, _ operator: Filter.Operator, _ right: SQLOperand, _ options: Filter.Options
    ) -> SQLTest? {
        switch `operator` {
        case .equal: equal(left, right)
        case .notEqual: equal(left, right)?.negated
        case .lessThan: ordered(left, .less, right)
        case .lessThanOrEqual: ordered(left, .lessOrEqual, right)
        case .greaterThan: ordered(left, .greater, right)
        case .greaterThanOrEqual: ordered(left, .greaterOrEqual, right)
        case .between: between(left, right, options)
        case .in: element(left, of: right, options)
        case .contains: element(right, of: left, options)
        case .beginsWith: beginning(left, right)
        case .endsWith: ending(left, right)
        case .like: pattern(left, right)
        case .tokenMatches: words(left, right)
        // The regular expressions of ICU are not PostgreSQL's.
        case .matches: matching(left, right)
        }
    }

    /// A test of two terms.
    func test(_ left: SQLTerm, _ right: SQLTerm, _ text: String) -> SQLTest {
        SQLTest(.sql(text), unsure: left.unsure + right.unsure)
    }
}

extension Filter.Comparison {
    /// What the comparison gives for every record, if it reads none; `nil` if it reads one, or fails.
    fileprivate var constantResult: Bool? {
        guard left.isConstant, right.isConstant else { return nil }
        guard var filter = try? CompiledFilter(.comparison(self), fields: [:]) else { return nil }
        return try? filter.matches(.nobody)
    }
}

extension StoredRecord {
    /// A record of no type without fields, for what does not depend on records.
    fileprivate static let nobody = StoredRecord(
        recordID: RecordID(recordName: "_"), recordType: "_", sequenceNumber: 1, creationDate: .distantPast,
        creatorName: "_", modificationDate: .distantPast, lastModifierName: "_", fields: .empty)
}
