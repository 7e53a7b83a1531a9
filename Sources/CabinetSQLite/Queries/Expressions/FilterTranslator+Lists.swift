import Cabinet
import Foundation

/// Comparisons of list fields.
extension FilterTranslator {
    // MARK: Quantifiers

    /// Translates a comparison of the elements of a list.
    mutating func quantified(_ comparison: Filter.Comparison) throws -> SQLCondition? {
        guard case .term(let list) = operand(comparison.left), list.type.isList else { return nil }
        let isFolded = ![.matches, .tokenMatches].contains(comparison.operator)
        let right = operand(comparison.right, folding: isFolded ? comparison.options : [])
        guard list.type.scalar == .string else {
            return try elements(of: list, comparison.quantifier) { translator, term in
                try translator.comparison(.term(term), comparison.operator, right, comparison.options)
            }
        }
        switch right {
        case .value(.string):
            // The function folds by itself: it gets the text as it is.
            guard case .constant(.string(let text)?) = comparison.right else { return nil }
            return texts(
                list, comparison.quantifier, comparison.operator, builder.parameter(.text(text)), 0,
                comparison.options)
        case .list(let values) where comparison.operator == .in && comparison.quantifier != .all:
            // One of the elements is one of the values: it is the first of them, or the second, and so on.
            guard values.count <= 50 else { return nil }
            var conditions: [SQLCondition] = []
            for value in values {
                guard case .constant(let value) = value else { return nil }
                guard let value else { continue }
                guard case .string(let text) = value else { return nil }
                conditions.append(
                    texts(list, .any, .equal, builder.parameter(.text(text)), 0, comparison.options))
            }
            let isMember = SQLCondition.any(conditions)
            return comparison.quantifier == .none ? isMember.negated : isMember
        default: return nil
        }
    }

    // MARK: By the evaluator

    /// The longest comparison that is handed to a function.
    private static let maximumLength = 100_000

    /// A comparison of one list field with a constant that SQL has no words for: the evaluator makes it in a function, which
    /// is given the list alone.
    mutating func test(ofList comparison: Filter.Comparison) -> SQLCondition? {
        let filter = Filter.comparison(comparison)
        let keys = filter.keysToFetch(in: terms.fields)
        guard let key = keys.first, keys.count == 1, comparison.right.isConstant, comparison.left.isOfOneRecord,
            case .term(let list) = terms.meaning(of: key), list.type.isList,
            ![.reference, .asset].contains(list.type.scalar),
            let json = try? JSONEncoder().encode(comparison), json.count <= Self.maximumLength
        else { return nil }
        let type = builder.parameter(.text(list.type.scalar.rawValue))
        let field = builder.parameter(.text(key))
        let text = builder.parameter(.text(String(decoding: json, as: UTF8.self)))
        return .sql("cabinet_list_holds(\(list.text), \(type), \(field), \(text))", depth: list.depth + 2)
    }
}

extension Filter.Expression {
    /// Whether no other record is looked at for the value.
    fileprivate var isOfOneRecord: Bool {
        switch self {
        case .field(let key):
            guard let path = try? FieldPath(key) else { return false }
            return path.steps.dropFirst().allSatisfy { if case .collection = $0 { true } else { false } }
        case .member, .variable, .searchableText, .unstorable: return false
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
