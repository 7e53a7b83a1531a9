import Cabinet

/// Arithmetic, which SQL does as Cabinet does where nothing overflows: there PostgreSQL fails, and the evaluator goes on.
extension FilterTranslator {
    mutating func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression
    ) -> SQLOperand {
        guard let left = number(left), let right = number(right) else { return .unknown }
        switch (left, right) {
        case (.null, _), (_, .null): return .null
        case (.value(let left), .value(let right)):
            guard let result = try? operation.result(of: left, and: right) else { return .null }
            return .value(result)
        default: break
        }
        guard let left = term(left), let right = term(right) else { return .unknown }
        let term: SQLTerm?
        if left.type == .int64, right.type == .int64 {
            term = wholeArithmetic(left, operation, right)
        } else {
            term = fractionArithmetic(left, operation, right)
        }
        // What may be wrong is said for each step, with all that it is made of.
        guard let term, term.unsure.reduce(term.text.utf8.count, { $0 + $1.utf8.count }) <= Self.maximumLength else {
            return .unknown
        }
        return .term(term)
    }

    /// An operand of arithmetic: null, a value or a term; `nil` if it is no number.
    private mutating func number(_ expression: Filter.Expression) -> SQLOperand? {
        switch operand(expression) {
        case .null: return .null
        case .value(let value):
            return !value.fieldType.isList && ComparisonKind(value.fieldType.scalar) == .number ? .value(value) : nil
        case .term(let term): return term.kind == .number && term.precision != .distance ? .term(term) : nil
        case .list, .unknown: return nil
        }
    }

    private mutating func term(_ number: SQLOperand) -> SQLTerm? {
        switch number {
        case .term(let term): term
        case .value(let value): value.sqlValue.map { SQLTerm(text: builder.parameter($0), type: value.fieldType) }
        default: nil
        }
    }

    private static let wholeRange = "BETWEEN -9223372036854775808 AND 9223372036854775807"
    /// Within it, every whole number is a DOUBLE.
    private static let exactRange = "BETWEEN -9007199254740992 AND 9007199254740992"

    private func wholeArithmetic(
        _ left: SQLTerm, _ operation: Filter.Arithmetic, _ right: SQLTerm
    ) -> SQLTerm? {
        let unsure = left.unsure + right.unsure
        switch operation {
        case .plus, .minus, .times:
            let exact = "CAST(\(left.text) AS numeric) \(operation.rawValue) CAST(\(right.text) AS numeric)"
            return SQLTerm(
                text: "CAST(\(exact) AS bigint)", type: .int64,
                unsure: unsure + ["(\(exact)) NOT \(Self.wholeRange)"])
        case .dividedBy:
            return SQLTerm(
                text:
                    "(CAST(\(left.text) AS double precision) / nullif(CAST(\(right.text) AS double precision), 0))",
                type: .double,
                unsure: unsure + [
                    "\(left.text) NOT \(Self.exactRange) OR \(right.text) NOT \(Self.exactRange)"
                ], precision: .quotient)
        // Powers are rounded otherwise by every library.
        case .toThePower: return nil
        }
    }

    private func fractionArithmetic(
        _ left: SQLTerm, _ operation: Filter.Arithmetic, _ right: SQLTerm
    ) -> SQLTerm? {
        // A quotient that is whole would be computed with as a whole number beside another one, which is not the case here.
        let unsure = left.unsure + right.unsure
        let (a, b) = (Self.fraction(left), Self.fraction(right))
        switch operation {
        case .plus, .minus:
            if left.precision == .quotient && (right.type == .int64 || right.precision == .quotient)
                || right.precision == .quotient && left.type == .int64
            {
                return nil
            }
            return SQLTerm(
                text: "(\(a) \(operation.rawValue) \(b))", type: .double,
                unsure: unsure + ["NOT (abs(\(a)) < 8e307 AND abs(\(b)) < 8e307)"])
        case .times, .dividedBy:
            if left.precision == .quotient || right.precision == .quotient { return nil }
            let isModest =
                "(\(a) = 0 OR abs(\(a)) BETWEEN 1e-150 AND 1e150) AND (\(b) = 0 OR abs(\(b)) BETWEEN 1e-150 AND 1e150)"
            let text = operation == .times ? "(\(a) * \(b))" : "(\(a) / nullif(\(b), 0))"
            return SQLTerm(text: text, type: .double, unsure: unsure + ["NOT (\(isModest))"])
        case .toThePower: return nil
        }
    }

    /// A number as a DOUBLE, as Swift rounds it.
    static func fraction(_ term: SQLTerm) -> String {
        term.type == .int64 ? "CAST(\(term.text) AS double precision)" : term.text
    }

    mutating func negative(_ operand: Filter.Expression) -> SQLOperand {
        guard let number = number(operand) else { return .unknown }
        switch number {
        case .value(let value):
            guard let result = try? Filter.Arithmetic.negated(value) else { return .null }
            return .value(result)
        case .term(let term):
            if term.type == .double {
                return .term(
                    SQLTerm(text: "(- \(term.text))", type: .double, unsure: term.unsure, precision: term.precision))
            }
            return .term(
                SQLTerm(
                    text: "(- \(term.text))", type: .int64,
                    unsure: term.unsure + ["\(term.text) = -9223372036854775808"]))
        default: return .null
        }
    }
}
