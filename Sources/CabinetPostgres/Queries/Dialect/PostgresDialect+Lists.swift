import Cabinet
import SQLSupport

/// Operators of lists, which are arrays.
extension PostgresDialect {
    static func count(of list: SQLTerm) -> SQLTerm {
        let length = list.type.scalar == .location ? " / \(Layout.locationLength)" : ""
        return SQLTerm(
            text: "CAST(cardinality(\(list.text))\(length) AS bigint)", type: .int64, inexactCases: list.inexactCases)
    }

    static func element(of list: SQLTerm, _ index: Filter.Index, _ translator: inout Translator) -> SQLTerm? {
        let position: String
        switch index {
        case .size: return nil
        case .first: position = "1"
        case .last: position = "array_length(\(list.text), 1)"
        case .at(.constant(.int64(let number)?)):
            // The subscripts of PostgreSQL begin at 1, and have 32 bits.
            position = number < Int64(Int32.max) ? "\(number + 1)" : "NULL"
        case .at(let expression):
            guard case .term(let number) = translator.operand(expression), number.type == .int64,
                number.inexactCases.isEmpty
            else { return nil }
            position =
                "CASE WHEN \(number.text) BETWEEN 0 AND 2147483646 THEN CAST(\(number.text) + 1 AS integer) END"
        }
        return SQLTerm(
            text: "(\(list.text))[\(position)]", type: FieldType(list.type.scalar), targetZone: list.targetZone)
    }

    static func elements(of list: SQLTerm, named name: String) -> (source: String, element: SQLTerm)? {
        let element = SQLTerm(
            text: "\(name).\"value\"", type: FieldType(list.type.scalar), targetZone: list.targetZone)
        return ("unnest(\(list.text)) AS \(name)(\"value\")", element)
    }

    static func quantified(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: SQLOperand,
        _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest?? { nil }

    static func evaluated(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest? { nil }
}
