/// A comparison in SQL: a condition, and the rows for which it may be wrong.
///
/// A database without Cabinet's functions computes most operations exactly for most rows only: lower case for ASCII,
/// sums that fit in 64 bits. Additional conditions find the other rows, which the evaluator decides.
package struct SQLTest {
    /// The condition, correct for every row that no inexact case covers.
    package var condition: SQLCondition
    /// Conditions that together cover each row for which the condition may be wrong or may fail.
    ///
    /// Each is evaluated only for rows that the earlier ones do not cover.
    package var inexactCases: [String]

    package init(_ condition: SQLCondition, inexactCases: [String] = []) {
        self.condition = condition
        self.inexactCases = inexactCases
    }

    package static let always = SQLTest(.always)
    package static let never = SQLTest(.never)

    package var negated: SQLTest { SQLTest(condition.negated, inexactCases: inexactCases) }

    package static func all(_ tests: [SQLTest]) -> SQLTest {
        SQLTest(.all(tests.map(\.condition)), inexactCases: tests.flatMap(\.inexactCases))
    }

    package static func any(_ tests: [SQLTest]) -> SQLTest {
        SQLTest(.any(tests.map(\.condition)), inexactCases: tests.flatMap(\.inexactCases))
    }
}
