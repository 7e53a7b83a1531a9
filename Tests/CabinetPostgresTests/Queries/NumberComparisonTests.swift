import Cabinet
import SQLSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Comparisons with numbers of another type follow the filter language.
@Suite struct NumberComparisonTests {
    private static let wholes: [Int64] = [
        0, 1, -1, 2, 7, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, 1 << 62, (1 << 62) + 1, .max, .max - 1, .max - 511,
        .max - 513, .min, .min + 1,
    ]
    private static let fractions: [Double] = [
        0, -0.0, 0.5, -0.5, 1, 2.5, -1, 9_007_199_254_740_992, 9_007_199_254_740_994, 9_223_372_036_854_775_808,
        9_223_372_036_854_774_784, -9_223_372_036_854_775_808, -9_223_372_036_854_777_856, 1e300, -1e300, .infinity,
        -.infinity, 4_611_686_018_427_387_904, .leastNonzeroMagnitude,
    ]

    /// Whether a number is found, as SQL compares numbers of one type.
    private func finds(_ stored: FieldValue, _ comparison: NumberComparison) -> Bool {
        func holds<Number: Comparable>(_ left: Number, _ sign: OrderSign, _ right: Number) -> Bool {
            switch sign {
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            case .greaterOrEqual: left >= right
            }
        }
        switch (comparison, stored) {
        case (.always, _): return true
        case (.never, _): return false
        case (.ordered(let sign, .integer(let right)), .int64(let left)): return holds(left, sign, right)
        case (.ordered(let sign, .double(let right)), .double(let left)): return holds(left, sign, right)
        default: return false
        }
    }

    @Test func everyPairIsComparedExactly() throws {
        let operators: [(Filter.Operator, OrderSign)] = [
            (.lessThan, .less), (.lessThanOrEqual, .lessOrEqual), (.greaterThan, .greater),
            (.greaterThanOrEqual, .greaterOrEqual),
        ]
        let all = Self.wholes.map(FieldValue.int64) + Self.fractions.map(FieldValue.double)
        for left in all {
            let record = StoredRecord("r", [("n", left)])
            for right in all + [.double(.nan)] {
                for (name, sign) in operators {
                    let filter = Filter.comparison(Filter.Comparison(.field("n"), name, .constant(right)))
                    var compiled = try CompiledFilter(filter, fields: ["n": left.fieldType])
                    let found = finds(left, NumberComparison(sign, right, in: left.fieldType.scalar))
                    #expect(try compiled.matches(record) == found, "\(left) \(sign.rawValue) \(right)")
                }
                var equal = try CompiledFilter(
                    .comparison(Filter.Comparison(.field("n"), .equal, .constant(right))), fields: ["n": left.fieldType]
                )
                var isSame = false
                switch (NumberComparison.equal(right, in: left.fieldType.scalar), left) {
                case (.integer(let number)?, .int64(let left)): isSame = number == left
                case (.double(let number)?, .double(let left)): isSame = number == left
                default: break
                }
                #expect(try equal.matches(record) == isSame, "\(left) == \(right)")
            }
        }
    }
}
