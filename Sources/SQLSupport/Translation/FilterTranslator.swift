package import Cabinet

/// Translates filters to SQL that selects exactly the rows that the filter language selects, as far as SQL can.
///
/// If SQL cannot express a part of a filter, an ``ApproximateCondition`` encloses it: SQL excludes rows that cannot
/// match, and the evaluator decides the rest.
///
/// To add an operator, add it to ``comparison(_:_:_:_:)`` and to ``SQLDialect``.
package struct FilterTranslator<Dialect: SQLDialect> {
    package var terms: RowTerms<Dialect>
    package var scope: ZoneScope
    package let zones: ZoneTable
    package var builder: SQLBuilder<Dialect.Value>
    package var dialect: Dialect
    private var comparisons = 0
    /// The nesting depth of lists whose elements the current condition compares.
    private var listLevel = 0
    /// The nesting depth of tables whose rows refer to those of another one.
    var referringLevel = 0

    /// The largest number of comparisons in a statement.
    ///
    /// The time to plan a statement grows with it, in SQLite with its square.
    private static var maximumComparisons: Int { 500 }
    /// The largest length of an expression.
    ///
    /// Expressions built from others can grow with the product of their lengths.
    package static var maximumLength: Int { RowTerms<Dialect>.maximumLength }

    package init(
        _ terms: RowTerms<Dialect>, scope: ZoneScope, zones: ZoneTable, builder: SQLBuilder<Dialect.Value>,
        dialect: Dialect
    ) {
        self.terms = terms
        self.scope = scope
        self.zones = zones
        self.builder = builder
        self.dialect = dialect
    }

    /// The parts that a filter is split into.
    package struct Parts {
        /// The conditions that enclose the filter.
        package let bounds: ApproximateCondition
        /// The part that SQL decides; `nil` if there is none.
        package let translated: Filter?
        /// The part that the evaluator decides, for the rows that meet the necessary condition; `nil` if there is none.
        package let remainder: Filter?
    }

    /// Splits a filter into a condition and the part that SQL cannot express.
    package mutating func split(_ filter: Filter) throws -> Parts {
        var candidates: [SQLCondition] = []
        var all: [ApproximateCondition] = []
        var translated: [Filter] = []
        var remainders: [Filter] = []
        for part in filter.conjuncts {
            if let condition = self.candidates(for: part) { candidates.append(condition) }
            let before = (values: builder.values.count, comparisons: comparisons)
            var bounds = try self.bounds(ofConjunct: part)
            if builder.values.count > Dialect.maximumParameters { bounds = .unknown }
            if bounds.isUnknown {
                builder.truncate(to: before.values)
                comparisons = before.comparisons
            }
            all.append(bounds)
            if bounds.isExact { translated.append(part) } else { remainders.append(part) }
        }
        let bounds = ApproximateCondition.all(all)
        return Parts(
            bounds: ApproximateCondition(
                necessary: .all(candidates + [bounds.necessary]), sufficient: .all(candidates + [bounds.sufficient]),
                isExact: bounds.isExact),
            translated: .conjunction(of: translated), remainder: .conjunction(of: remainders))
    }

    /// Returns the enclosing conditions of a filter that every record must match.
    private mutating func bounds(ofConjunct filter: Filter) throws -> ApproximateCondition {
        if case .comparison(let comparison) = filter, !comparison.isEmptySearch {
            let count = builder.values.count
            if let condition = try Dialect.searchedTargets(comparison, &self) { return ApproximateCondition(condition) }
            builder.truncate(to: count)
        }
        let bounds = bounds(of: filter)
        guard case .sql = bounds.necessary else { return bounds }
        let refined = Dialect.refined(bounds.necessary, for: filter, &self)
        return bounds.isExact
            ? ApproximateCondition(refined)
            : ApproximateCondition(necessary: refined, sufficient: bounds.sufficient, isExact: false)
    }

    // MARK: Logic

    mutating func bounds(of filter: Filter) -> ApproximateCondition {
        let bounds: ApproximateCondition
        switch filter {
        case .constant(let value): bounds = ApproximateCondition(value ? SQLCondition.always : SQLCondition.never)
        case .comparison(let comparison):
            let count = builder.values.count
            if let test = test(of: comparison) {
                bounds = ApproximateCondition(test)
            } else {
                builder.truncate(to: count)
                return .unknown
            }
        case .and(let children): bounds = .all(children.map { self.bounds(of: $0) })
        case .or(let children): bounds = .any(children.map { self.bounds(of: $0) })
        case .not(let child): bounds = self.bounds(of: child).negated
        }
        return bounds.depth <= Dialect.maximumDepth ? bounds : .unknown
    }

    /// Translates a comparison; returns `nil` if SQL cannot express it.
    package mutating func test(of comparison: Filter.Comparison) -> SQLTest? {
        comparisons += 1
        guard comparisons <= Self.maximumComparisons else { return nil }
        if let found = search(comparison) { return found }
        if case .searchableText = comparison.left { return unindexedSearch(comparison) }
        if let isTrue = comparison.constantResult { return isTrue ? .always : .never }
        let count = builder.values.count
        if let found = existence(comparison) { return found }
        builder.truncate(to: count)
        if let found = Dialect.targets(comparison, &self) { return found }
        builder.truncate(to: count)
        if let found = translated(comparison) { return found }
        builder.truncate(to: count)
        return Dialect.evaluated(comparison, &self)
    }

    /// Translates a comparison without Cabinet's functions for whole comparisons.
    private mutating func translated(_ comparison: Filter.Comparison) -> SQLTest? {
        // The operator MATCHES applies the options itself, and words are always folded.
        let isFolded = comparison.operator != .matches && !comparison.operator.findsWords
        let folding = isFolded ? comparison.options : []
        let left = operand(comparison.left, folding: comparison.quantifier == .single ? folding : [])
        let right = operand(comparison.right, folding: folding)
        if comparison.quantifier == .single {
            return self.comparison(left, comparison.operator, right, comparison.options)
        }
        guard case .term(let list) = left, list.type.isList else { return nil }
        return quantified(
            list, comparison.quantifier, comparison.operator, right, comparison.options, folding: folding)
    }

    /// Compares two operands.
    ///
    /// - Parameter options: The comparison's options. If the operator folds text, both operands are folded with them.
    package mutating func comparison(
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
        case .beginsWith: texts(left, right) { Dialect.begins(left, with: right, &$0) }
        case .endsWith: texts(left, right) { Dialect.ends(left, with: right, &$0) }
        case .like: texts(left, right) { Dialect.isLike(left, right, &$0) }
        case .matches: texts(left, right) { Dialect.matches(left, right, options, &$0) }
        case .tokenMatches: texts(left, right) { Dialect.hasWords(left, right, &$0) }
        case .search:
            if case .value(.string(let text)) = right { readingSearch(SearchText(text), in: [left]) } else { nil }
        }
    }

    /// Compares texts; nil does not match any text.
    private mutating func texts(
        _ left: SQLOperand, _ right: SQLOperand, _ compare: (inout Self) -> SQLTest?
    ) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): .never
        default: compare(&self)
        }
    }

    /// Returns a term with its text folded for comparisons with the given options.
    static func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm {
        options.isEmpty || term.kind != .text ? term : Dialect.folded(term, options)
    }

    /// Calls a closure with a name for the elements of a list.
    ///
    /// Nested conditions on elements need different names.
    mutating func withElementName<Result>(_ body: (inout Self, String) -> Result) -> Result {
        listLevel += 1
        defer { listLevel -= 1 }
        return body(&self, "\"$e\(listLevel)\"")
    }
}

extension Filter {
    /// The filters that must all match for this one to match.
    fileprivate var conjuncts: [Filter] {
        if case .and(let children) = self { children.flatMap(\.conjuncts) } else { [self] }
    }
}

extension Filter? {
    /// Returns the filter that matches where all of `filters` match; `nil` if there are none.
    fileprivate static func conjunction(of filters: [Filter]) -> Filter? {
        filters.count < 2 ? filters.first : .and(filters)
    }
}
