import Cabinet
import SQLSupport

/// Arithmetic and distances.
extension SQLiteDialect {
    static func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression,
        _ translator: inout Translator
    ) -> SQLOperand {
        guard let left = number(left, &translator), let right = number(right, &translator) else { return .unknown }
        guard case .term(let left) = left, case .term(let right) = right else { return .null }
        let text =
            switch operation {
            case .plus: "(\(left.text) + \(right.text))"
            case .minus: "(\(left.text) - \(right.text))"
            case .times: "(\(left.text) * \(right.text))"
            // SQL's own division truncates integers.
            case .dividedBy: "cabinet_divide(\(left.text), \(right.text))"
            case .toThePower: "cabinet_power(\(left.text), \(right.text))"
            }
        // The second argument of a function takes more of the parser's stack than the first.
        return .term(SQLTerm(text: text, type: .double, depth: max(left.depth + 1, right.depth + 2)))
    }

    static func negative(_ operand: Filter.Expression, _ translator: inout Translator) -> SQLOperand {
        guard let operand = number(operand, &translator) else { return .unknown }
        guard case .term(let term) = operand else { return .null }
        // A minus sign would turn a negative zero into zero.
        return .term(SQLTerm(text: "(\(term.text) * -1)", type: .double, depth: term.depth + 1))
    }

    /// Returns an operand of arithmetic: a term, or null; `nil` if it is not a number.
    private static func number(_ expression: Filter.Expression, _ translator: inout Translator) -> SQLOperand? {
        switch translator.operand(expression) {
        case .null: return .null
        case .value(let value):
            guard value.comparisonKind == .number, let stored = value.sqlValue else { return nil }
            return .term(SQLTerm(text: translator.builder.parameter(stored), type: value.fieldType))
        case .term(let term): return term.kind == .number ? .term(term) : nil
        case .list, .unknown: return nil
        }
    }

    static func distance(_ place: SQLTerm, _ origin: Location, _ translator: inout Translator) -> SQLTerm? {
        distance(place, origin, &translator.builder)
    }

    /// Returns the distance between a field's location and a constant one.
    static func distance(_ place: SQLTerm, _ origin: Location, _ builder: inout SQLBuilder) -> SQLTerm {
        let latitude = builder.parameter(.double(origin.latitude))
        let longitude = builder.parameter(.double(origin.longitude))
        return SQLTerm(
            text: "cabinet_distance(\(place.text), \(latitude), \(longitude))", type: .double, depth: place.depth + 1)
    }

    static func distance(_ place: SQLTerm, _ other: SQLTerm) -> SQLTerm? {
        SQLTerm(
            text: "cabinet_distance(\(place.text), \(other.text))", type: .double,
            depth: max(place.depth + 1, other.depth + 2))
    }
}
