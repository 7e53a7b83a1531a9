import Cabinet
import Foundation
import SQLSupport

/// Lists as JSON. Cabinet's functions read text with NUL and fractions, which SQLite's JSON functions change.
extension SQLiteDialect {
    static func count(of list: SQLTerm) -> SQLTerm {
        SQLTerm(text: "json_array_length(\(list.text))", type: .int64, depth: list.depth + 1)
    }

    static func element(of list: SQLTerm, _ index: Filter.Index, _ translator: inout Translator) -> SQLTerm? {
        let position: Int64
        switch index {
        case .first: position = 0
        case .last: position = -1
        case .at(.constant(.int64(let number)?)): position = number
        case .at, .size: return nil
        }
        let type = translator.builder.parameter(.text(list.type.scalar.rawValue))
        let number = translator.builder.parameter(.integer(position))
        return SQLTerm(
            text: "cabinet_element(\(list.text), \(type), \(number))", type: FieldType(list.type.scalar),
            targetZone: list.targetZone, depth: list.depth + 1)
    }

    static func elements(of list: SQLTerm, named name: String) -> (source: String, element: SQLTerm)? {
        let value = "\(name).\"value\""
        let text: String
        switch list.type.scalar {
        case .int64: text = value
        case .reference: text = "json_extract(\(value), '$.name')"
        default: return nil
        }
        let element = SQLTerm(
            text: text, type: FieldType(list.type.scalar), targetZone: list.targetZone, depth: list.depth + 1)
        return ("json_each(\(list.text)) AS \(name)", element)
    }

    /// Compares lists of text with a function that folds both sides.
    ///
    /// Folding twice has no effect.
    static func quantified(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: SQLOperand,
        _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest?? {
        guard list.type.scalar == .string else { return nil }
        func test(
            _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: String, _ depth: Int
        ) -> SQLTest {
            let text =
                "cabinet_list_test(\(list.text), '\(quantifier.rawValue)', '\(`operator`.rawValue)', \(right), "
                + "\(options.rawValue))"
            return SQLTest(.sql(text, depth: max(list.depth, depth) + 2))
        }
        switch right {
        case .value(.string(let text)):
            return .some(test(quantifier, `operator`, translator.builder.parameter(.text(text)), 0))
        case .value(let value):
            return .some(quantifier == .any && `operator` == .equal && !value.fieldType.isList ? .never : nil)
        case .term(let term) where quantifier == .any && `operator` == .equal:
            guard let kind = term.kind else { return .some(nil) }
            return .some(kind == .text ? test(.any, .equal, term.text, term.depth) : .never)
        case .list(let values) where `operator` == .in && quantifier != .all && values.count <= 50:
            // One of the elements is one of the values if it is the first value, or the second, and so on.
            var tests: [SQLTest] = []
            for value in values {
                guard case .constant(let value) = value else { return .some(nil) }
                guard let value else { continue }
                guard case .string(let text) = value else { return .some(nil) }
                tests.append(test(.any, .equal, translator.builder.parameter(.text(text)), 0))
            }
            let isMember = SQLTest.any(tests)
            return .some(quantifier == .none ? isMember.negated : isMember)
        default: return .some(nil)
        }
    }

    // MARK: By the evaluator

    /// The longest comparison that is passed to a function, in bytes.
    private static let maximumComparisonLength = 100_000

    /// Translates a comparison of one list field with a constant into a call of the evaluator for the list alone.
    static func evaluated(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest? {
        let filter = Filter.comparison(comparison)
        let keys = filter.keysToFetch(in: translator.terms.fields)
        guard let key = keys.first, keys.count == 1, comparison.right.isConstant, comparison.left.isOfOneRecord,
            case .term(let list) = translator.terms.meaning(of: key), list.type.isList,
            ![.reference, .asset].contains(list.type.scalar),
            let json = try? JSONEncoder().encode(filter), json.count <= maximumComparisonLength
        else { return nil }
        let type = translator.builder.parameter(.text(list.type.scalar.rawValue))
        let field = translator.builder.parameter(.text(key))
        let text = translator.builder.parameter(.text(String(decoding: json, as: UTF8.self)))
        return SQLTest(.sql("cabinet_list_holds(\(list.text), \(type), \(field), \(text))", depth: list.depth + 2))
    }
}

extension Filter.Expression {
    /// Whether the value does not depend on other records.
    fileprivate var isOfOneRecord: Bool {
        switch self {
        case .field(let key):
            guard let path = try? FieldPath(key) else { return false }
            return path.steps.dropFirst().allSatisfy { if case .collection = $0 { true } else { false } }
        case .member, .variable, .searchableText, .unstorable, .referring: return false
        case .constant: return true
        case .list(let elements): return elements.allSatisfy(\.isOfOneRecord)
        case .negative(let operand): return operand.isOfOneRecord
        case .element(let list, .at(let position)): return list.isOfOneRecord && position.isOfOneRecord
        case .element(let list, _): return list.isOfOneRecord
        case .arithmetic(let left, _, let right), .distance(let left, let right):
            return left.isOfOneRecord && right.isOfOneRecord
        }
    }
}
