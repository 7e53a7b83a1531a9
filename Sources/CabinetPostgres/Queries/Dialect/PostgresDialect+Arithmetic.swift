import Cabinet
import SQLSupport

/// Arithmetic in SQL, which leaves results that overflow to the evaluator.
extension PostgresDialect {
    static func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression,
        _ translator: inout Translator
    ) -> SQLOperand {
        guard let left = number(left, &translator), let right = number(right, &translator) else { return .unknown }
        switch (left, right) {
        case (.null, _), (_, .null): return .null
        case (.value(let left), .value(let right)):
            guard let result = try? operation.result(of: left, and: right) else { return .null }
            return .value(result)
        default: break
        }
        guard let left = term(left, &translator), let right = term(right, &translator) else { return .unknown }
        let term: SQLTerm?
        if left.type == .int64, right.type == .int64 {
            term = wholeArithmetic(left, operation, right)
        } else {
            term = fractionArithmetic(left, operation, right)
        }
        // Each step repeats the inexact cases of its operands, so nested arithmetic grows quickly.
        guard let term,
            term.inexactCases.reduce(term.text.utf8.count, { $0 + $1.utf8.count }) <= Translator.maximumLength
        else {
            return .unknown
        }
        return .term(term)
    }

    /// Returns an operand of arithmetic: null, a value or a term; `nil` if it is not a number.
    private static func number(_ expression: Filter.Expression, _ translator: inout Translator) -> SQLOperand? {
        switch translator.operand(expression) {
        case .null: return .null
        case .value(let value):
            return value.comparisonKind == .number ? .value(value) : nil
        case .term(let term): return term.kind == .number && term.precision != .distance ? .term(term) : nil
        case .list, .unknown: return nil
        }
    }

    private static func term(_ number: SQLOperand, _ translator: inout Translator) -> SQLTerm? {
        switch number {
        case .term(let term): term
        case .value(let value):
            value.sqlValue.map { SQLTerm(text: translator.builder.parameter($0), type: value.fieldType) }
        default: nil
        }
    }

    private static let wholeRange = "BETWEEN -9223372036854775808 AND 9223372036854775807"
    /// The range of whole numbers that a DOUBLE represents exactly.
    private static let exactRange = "BETWEEN -9007199254740992 AND 9007199254740992"

    private static func wholeArithmetic(
        _ left: SQLTerm, _ operation: Filter.Arithmetic, _ right: SQLTerm
    ) -> SQLTerm? {
        let inexactCases = left.inexactCases + right.inexactCases
        switch operation {
        case .plus, .minus, .times:
            let exact = "CAST(\(left.text) AS numeric) \(operation.rawValue) CAST(\(right.text) AS numeric)"
            return SQLTerm(
                text: "CAST(\(exact) AS bigint)", type: .int64,
                inexactCases: inexactCases + ["(\(exact)) NOT \(wholeRange)"])
        case .dividedBy:
            return SQLTerm(
                text:
                    "(CAST(\(left.text) AS double precision) / nullif(CAST(\(right.text) AS double precision), 0))",
                type: .double,
                inexactCases: inexactCases + [
                    "\(left.text) NOT \(exactRange) OR \(right.text) NOT \(exactRange)"
                ], precision: .quotient)
        // Libraries round powers differently.
        case .toThePower: return nil
        }
    }

    private static func fractionArithmetic(
        _ left: SQLTerm, _ operation: Filter.Arithmetic, _ right: SQLTerm
    ) -> SQLTerm? {
        // The evaluator treats a whole quotient beside a whole number as a whole number; SQL does not.
        let inexactCases = left.inexactCases + right.inexactCases
        let (a, b) = (fraction(left), fraction(right))
        switch operation {
        case .plus, .minus:
            if left.precision == .quotient && (right.type == .int64 || right.precision == .quotient)
                || right.precision == .quotient && left.type == .int64
            {
                return nil
            }
            return SQLTerm(
                text: "(\(a) \(operation.rawValue) \(b))", type: .double,
                inexactCases: inexactCases + ["NOT (abs(\(a)) < 8e307 AND abs(\(b)) < 8e307)"])
        case .times, .dividedBy:
            if left.precision == .quotient || right.precision == .quotient { return nil }
            let isModest =
                "(\(a) = 0 OR abs(\(a)) BETWEEN 1e-150 AND 1e150) AND (\(b) = 0 OR abs(\(b)) BETWEEN 1e-150 AND 1e150)"
            let text = operation == .times ? "(\(a) * \(b))" : "(\(a) / nullif(\(b), 0))"
            return SQLTerm(text: text, type: .double, inexactCases: inexactCases + ["NOT (\(isModest))"])
        case .toThePower: return nil
        }
    }

    /// Returns a number as a DOUBLE, rounded as in Swift.
    static func fraction(_ term: SQLTerm) -> String {
        term.type == .int64 ? "CAST(\(term.text) AS double precision)" : term.text
    }

    static func negative(_ operand: Filter.Expression, _ translator: inout Translator) -> SQLOperand {
        guard let number = number(operand, &translator) else { return .unknown }
        switch number {
        case .value(let value):
            guard let result = try? Filter.Arithmetic.negated(value) else { return .null }
            return .value(result)
        case .term(let term):
            if term.type == .double {
                return .term(
                    SQLTerm(
                        text: "(- \(term.text))", type: .double, inexactCases: term.inexactCases,
                        precision: term.precision))
            }
            return .term(
                SQLTerm(
                    text: "(- \(term.text))", type: .int64,
                    inexactCases: term.inexactCases + ["\(term.text) = -9223372036854775808"]))
        default: return .null
        }
    }
}
