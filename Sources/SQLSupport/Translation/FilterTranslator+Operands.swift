package import Cabinet
import Foundation

/// Translates operands: fields, constants, and expressions of both.
extension FilterTranslator {
    /// Translates an operand.
    ///
    /// - Parameter folding: The options that text is compared with.
    package mutating func operand(_ expression: Filter.Expression, folding: Filter.Options = []) -> SQLOperand {
        switch expression {
        case .constant(nil): return .null
        case .constant(.list(let list)?): return .list(list.elements.map { .constant($0) })
        case .constant(.string(let text)?): return .value(.string(folding.folded(text)))
        case .constant(let value?): return .value(value)
        case .list(let elements): return .list(elements)
        case .field(let key):
            switch terms.meaning(of: key) {
            case .nothing: return .null
            case .unknown: return .unknown
            case .term(let term): return .term(Self.folded(term, folding))
            }
        case .element(let list, let index): return element(of: list, index, folding)
        case .arithmetic(let left, let operation, let right): return Dialect.arithmetic(left, operation, right, &self)
        case .negative(let operand): return Dialect.negative(operand, &self)
        case .distance(let left, let right): return distance(left, right)
        case .referring(let type, let field, let filter): return count(of: type, by: field, where: filter)
        // Validation has rejected unstorable values.
        case .member, .searchableText, .variable, .unstorable: return .unknown
        }
    }

    private mutating func element(
        of list: Filter.Expression, _ index: Filter.Index, _ folding: Filter.Options
    ) -> SQLOperand {
        guard case .term(let list) = operand(list), list.type.isList else { return .unknown }
        if case .size = index { return .term(Dialect.count(of: list)) }
        if case .at(.constant(.int64(let number)?)) = index, number < 0 { return .null }
        guard ComparisonKind(list.type.scalar) != nil, let term = Dialect.element(of: list, index, &self),
            term.text.utf8.count <= Self.maximumLength
        else { return .unknown }
        return .term(Self.folded(term, folding))
    }

    private mutating func distance(_ left: Filter.Expression, _ right: Filter.Expression) -> SQLOperand {
        var left = operand(left)
        var right = operand(right)
        if case .null = left { return .null }
        if case .null = right { return .null }
        if case .value = left { swap(&left, &right) }
        guard case .term(let place) = left, place.type == .location else { return .unknown }
        let term: SQLTerm? =
            switch right {
            case .value(.location(let origin)): Dialect.distance(place, origin, &self)
            case .term(let other) where other.type == .location: Dialect.distance(place, other)
            default: nil
            }
        guard let term, term.text.utf8.count <= Self.maximumLength else { return .unknown }
        return .term(term)
    }
}

extension Filter.Expression {
    /// Whether the value is the same for all records.
    package var isConstant: Bool {
        switch self {
        case .constant: true
        case .field, .variable, .searchableText, .unstorable, .referring: false
        case .list(let elements): elements.allSatisfy(\.isConstant)
        case .member(let operand, _), .negative(let operand): operand.isConstant
        case .element(let list, .at(let position)): list.isConstant && position.isConstant
        case .element(let list, _): list.isConstant
        case .arithmetic(let left, _, let right), .distance(let left, let right): left.isConstant && right.isConstant
        }
    }
}

extension Filter.Comparison {
    /// The result of a comparison of constants; `nil` if it reads a record, or fails.
    var constantResult: Bool? {
        guard left.isConstant, right.isConstant else { return nil }
        guard var filter = try? CompiledFilter(.comparison(self), fields: [:]) else { return nil }
        return try? filter.matches(.blank)
    }
}
