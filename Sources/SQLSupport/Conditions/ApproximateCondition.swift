import Cabinet

/// Two conditions that enclose a filter: one that all its rows meet, and one that only its rows meet.
package struct ApproximateCondition {
    package let necessary: SQLCondition
    package let sufficient: SQLCondition
    /// Whether both conditions are the same, so that no row needs evaluation.
    package let isExact: Bool

    /// The bounds of a filter that SQL cannot express.
    package static let unknown = ApproximateCondition(necessary: .always, sufficient: .never, isExact: false)

    package init(necessary: SQLCondition, sufficient: SQLCondition, isExact: Bool) {
        self.necessary = necessary
        self.sufficient = sufficient
        self.isExact = isExact
    }

    package init(_ condition: SQLCondition) {
        self.init(necessary: condition, sufficient: condition, isExact: true)
    }

    package init(_ test: SQLTest) {
        var seen: Set<ScalarText> = []
        let cases = test.inexactCases.filter { seen.insert(ScalarText(text: $0)).inserted }
        guard !cases.isEmpty else {
            self.init(test.condition)
            return
        }
        func text(_ answer: String) -> SQLCondition {
            let cases = cases.map { "WHEN \($0) THEN \(answer)" }.joined(separator: " ")
            return .sql("CASE \(cases) ELSE \(test.condition.text) END", depth: test.condition.depth + 1)
        }
        self.init(necessary: text("TRUE"), sufficient: text("FALSE"), isExact: false)
    }

    /// Whether SQL leaves every row to the evaluator.
    var isUnknown: Bool { necessary.isAlways && sufficient.isNever }

    var depth: Int { max(necessary.depth, sufficient.depth) }

    var negated: ApproximateCondition {
        if isExact { return ApproximateCondition(necessary.negated) }
        return ApproximateCondition(necessary: sufficient.negated, sufficient: necessary.negated, isExact: false)
    }

    static func all(_ bounds: [ApproximateCondition]) -> ApproximateCondition { joined(bounds, SQLCondition.all) }

    static func any(_ bounds: [ApproximateCondition]) -> ApproximateCondition { joined(bounds, SQLCondition.any) }

    private static func joined(
        _ bounds: [ApproximateCondition], _ join: ([SQLCondition]) -> SQLCondition
    ) -> ApproximateCondition {
        let necessary = join(bounds.map(\.necessary))
        if bounds.allSatisfy(\.isExact) { return ApproximateCondition(necessary) }
        return ApproximateCondition(
            necessary: necessary, sufficient: join(bounds.map(\.sufficient)), isExact: false)
    }
}
