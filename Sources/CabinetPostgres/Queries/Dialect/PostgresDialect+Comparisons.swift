import Cabinet
import Foundation
import SQLSupport

/// Equality and order, where each comparison of text or bytes first compares the prefix that indexes hold.
extension PostgresDialect {
    static let isSame = "IS NOT DISTINCT FROM"

    // MARK: Equality

    static func equal(_ term: SQLTerm, _ value: FieldValue, _ translator: inout Translator) -> SQLTest? {
        if term.kind == .number {
            guard let number = NumberComparison.equal(value, in: term.type.scalar) else { return term.fails }
            return term.test("\(term.text) = \(translator.builder.parameter(number))")
        }
        guard !value.isInvalidDate, let stored = value.sqlValue else { return .never }
        let parameter = translator.builder.parameter(stored)
        guard let key = term.key else { return term.test("\(term.text) = \(parameter)") }
        if key.isWhole(stored) { return term.test("\(key.text) = \(parameter)") }
        return term.test(
            "\(key.text) = \(TableIndexes.key(of: parameter, type: term.type)) AND \(term.text) = \(parameter)")
    }

    /// Compares numbers of two types as DOUBLE, which may make different numbers equal.
    static func equalNumbers(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest {
        let (whole, other) = left.type == .int64 ? (left, right) : (right, left)
        return left.test(
            with: right,
            "CASE WHEN \(whole.text) IS NULL OR \(other.text) IS NULL THEN \(whole.text) IS NULL AND \(other.text) IS NULL "
                + "WHEN \(fraction(whole)) <> \(other.text) OR \(other.text) >= 9223372036854775808 THEN FALSE "
                + "ELSE \(whole.text) = CAST(\(other.text) AS bigint) END")
    }

    /// Compares arrays of one type in SQL; lists of two types are equal only if both are empty.
    static func equalLists(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest? {
        let comparable: Set<FieldType.Scalar> = [.string, .int64, .double, .timestamp, .bytes]
        guard left.type == right.type, comparable.contains(left.type.scalar) else { return nil }
        return left.test(with: right, "\(left.text) \(isSame) \(right.text)")
    }

    static func equal(_ list: SQLTerm, _ elements: [Filter.Expression], _ translator: inout Translator) -> SQLTest? {
        guard list.type.isList, list.inexactCases.isEmpty else { return nil }
        if elements.isEmpty { return list.test("cardinality(\(list.text)) = 0") }
        var values: [SQLValue] = []
        for element in elements {
            guard case .constant(let value?) = element else { return nil }
            switch (list.type.scalar, value) {
            case (.string, .string), (.bytes, .bytes), (.timestamp, .timestamp):
                guard !value.isInvalidDate, let stored = value.sqlValue else { return .never }
                values.append(stored)
            case (.int64, .int64), (.int64, .double), (.double, .int64), (.double, .double):
                guard let number = NumberComparison.equal(value, in: list.type.scalar) else { return .never }
                values.append(number)
            default: return nil
            }
        }
        return SQLValue.array(values).map { list.test("\(list.text) = \(translator.builder.parameter($0))") }
    }

    // MARK: Order

    static func ordered(
        _ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue, _ translator: inout Translator
    ) -> SQLTest? {
        if value.isInvalidDate { return .never }
        if term.kind == .number {
            switch NumberComparison(sign, value, in: term.type.scalar) {
            case .never: return term.fails
            case .always: return term.test("\(term.text) IS NOT NULL")
            case .ordered(let sign, let number):
                let parameter = translator.builder.parameter(number)
                var test = term.test("\(term.text) \(sign.rawValue) \(parameter)")
                if term.precision == .distance {
                    test.inexactCases.append("abs(\(term.text) - \(parameter)) <= \(distanceError)")
                }
                return test
            }
        }
        guard let stored = value.sqlValue else { return nil }
        let parameter = translator.builder.parameter(stored)
        guard let key = term.key else { return term.test("\(term.text) \(sign.rawValue) \(parameter)") }
        if key.isWhole(stored) { return term.test("\(key.text) \(sign.rawValue) \(parameter)") }
        return term.test(
            "\(key.text) \(sign.orEqual.rawValue) \(TableIndexes.key(of: parameter, type: term.type)) "
                + "AND \(term.text) \(sign.rawValue) \(parameter)")
    }

    static func ordered(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest? {
        if left.precision == .distance || right.precision == .distance {
            // The other number is rounded already, so rounding whole numbers to DOUBLE loses nothing.
            let (a, b) = (fraction(left), fraction(right))
            var found = left.test(with: right, "\(a) \(sign.rawValue) \(b)")
            found.inexactCases.append(
                "abs(\(b)) > 1e12 OR abs(\(a)) > 1e12 OR abs(\(a) - \(b)) <= \(2 * distanceError)")
            return found
        }
        if left.type != right.type, left.kind == .number { return orderedNumbers(left, sign, right) }
        return left.test(with: right, "\(left.text) \(sign.rawValue) \(right.text)")
    }

    /// Compares numbers as DOUBLE, which keeps the order, except that different numbers may become equal.
    private static func orderedNumbers(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest {
        let (whole, other, sign) = left.type == .int64 ? (left, right, sign) : (right, left, sign.mirrored)
        return left.test(
            with: right,
            "CASE WHEN \(whole.text) IS NULL OR \(other.text) IS NULL THEN FALSE "
                + "WHEN \(fraction(whole)) <> \(other.text) THEN \(fraction(whole)) \(sign.rawValue) \(other.text) "
                + "WHEN \(other.text) >= 9223372036854775808 THEN \(sign.isUpwards ? "FALSE" : "TRUE") "
                + "ELSE \(whole.text) \(sign.rawValue) CAST(\(other.text) AS bigint) END")
    }

    // MARK: Membership

    /// Passes all values as one parameter, so that lists of any length share a statement.
    static func isMember(_ term: SQLTerm, of values: [FieldValue], _ translator: inout Translator) -> SQLTest? {
        // Values that cannot be stored are left out, because no field holds them.
        let stored = values.compactMap { value in
            term.kind == .number ? NumberComparison.equal(value, in: term.type.scalar) : value.sqlValue
        }
        if stored.isEmpty { return term.fails }
        guard let array = SQLValue.array(stored) else { return nil }
        let isWhole = term.key.map { key in stored.allSatisfy(key.isWhole) } ?? false
        let column = isWhole ? term.key?.text ?? term.text : term.text
        return term.test("\(column) = ANY(\(translator.builder.parameter(array)))")
    }
}

extension FieldValue {
    /// Whether this is an invalid date, which cannot be ordered.
    fileprivate var isInvalidDate: Bool {
        if case .timestamp(let date) = self { date.timeIntervalSinceReferenceDate.isNaN } else { false }
    }
}
