/// What a comparison is in SQL: a condition, and for which rows it may be wrong.
///
/// PostgreSQL has no functions of ours. What it has means the same for most rows, and not for some: lower case for text that is
/// not ASCII, a sum that does not fit 64 bits. Those rows are told apart by conditions of their own, and the evaluator decides
/// about them.
struct SQLTest {
    /// The condition, right for every row that none of the others holds for.
    var condition: SQLCondition
    /// Conditions of which one holds for each row that the condition may be wrong for, or may fail for; each is evaluated only for
    /// rows that those before it do not hold for.
    var unsure: [String]

    init(_ condition: SQLCondition, unsure: [String] = []) {
        self.condition = condition
        self.unsure = unsure
    }

    static let always = SQLTest(.always)
    static let never = SQLTest(.never)

    var negated: SQLTest { SQLTest(condition.negated, unsure: unsure) }

    static func all(_ tests: [SQLTest]) -> SQLTest {
        SQLTest(.all(tests.map(\.condition)), unsure: tests.flatMap(\.unsure))
    }

    static func any(_ tests: [SQLTest]) -> SQLTest {
        SQLTest(.any(tests.map(\.condition)), unsure: tests.flatMap(\.unsure))
    }
}

/// Two conditions that a filter lies between: all rows that it matches meet one, and it matches all rows that meet the other.
struct SQLBounds {
    let necessary: SQLCondition
    let sufficient: SQLCondition
    /// Whether both are the same, so that nothing is left to be evaluated.
    let isExact: Bool

    /// What SQL knows nothing about.
    static let unknown = SQLBounds(necessary: .always, sufficient: .never, isExact: false)

    init(necessary: SQLCondition, sufficient: SQLCondition, isExact: Bool) {
        self.necessary = necessary
        self.sufficient = sufficient
        self.isExact = isExact
    }

    init(_ condition: SQLCondition) {
        self.init(necessary: condition, sufficient: condition, isExact: true)
    }

    init(_ test: SQLTest) {
        var seen: Set<String> = []
        let unsure = test.unsure.filter { seen.insert($0).inserted }
        guard !unsure.isEmpty else {
            self.init(test.condition)
            return
        }
        func text(_ answer: String) -> SQLCondition {
            let cases = unsure.map { "WHEN \($0) THEN \(answer)" }.joined(separator: " ")
            return .sql("CASE \(cases) ELSE \(test.condition.text) END")
        }
        self.init(necessary: text("TRUE"), sufficient: text("FALSE"), isExact: false)
    }

    var negated: SQLBounds {
        if isExact { return SQLBounds(necessary.negated) }
        return SQLBounds(necessary: sufficient.negated, sufficient: necessary.negated, isExact: false)
    }

    static func all(_ bounds: [SQLBounds]) -> SQLBounds { joined(bounds, SQLCondition.all) }

    static func any(_ bounds: [SQLBounds]) -> SQLBounds { joined(bounds, SQLCondition.any) }

    private static func joined(_ bounds: [SQLBounds], _ join: ([SQLCondition]) -> SQLCondition) -> SQLBounds {
        let necessary = join(bounds.map(\.necessary))
        if bounds.allSatisfy(\.isExact) { return SQLBounds(necessary) }
        return SQLBounds(necessary: necessary, sufficient: join(bounds.map(\.sufficient)), isExact: false)
    }
}
