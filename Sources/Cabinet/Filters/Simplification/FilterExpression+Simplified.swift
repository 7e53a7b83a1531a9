extension Filter.Expression {
    /// Returns an operand that has the same value and is not larger.
    func simplified() -> Filter.Expression {
        if case .constant(let value?) = self { return Filter.Expression(value) }
        if case .referring(let type, let field, let filter) = self {
            return .referring(type, by: field, where: filter.simplifiedTree())
        }
        let simple = replacingOperands { $0.simplified() }
        return simple.isComputed && simple.isConstant ? simple.computed ?? simple : simple
    }

    /// Whether the operand has the same value for every record.
    ///
    /// The target of a reference is not constant: it can change while the reference remains the same.
    var isConstant: Bool {
        switch self {
        case .field, .member, .variable, .searchableText, .unstorable, .referring: false
        case .constant, .list, .element, .arithmetic, .negative, .distance: operands.allSatisfy(\.isConstant)
        }
    }

    var isEmptyList: Bool {
        if case .list(let elements) = self { elements.isEmpty } else { false }
    }

    /// Whether the operand, as the list of a quantifier, is empty; nil is.
    var hasNoElements: Bool { isEmptyList || self == .constant(nil) }

    /// Whether the evaluator makes the value from those of other operands.
    private var isComputed: Bool {
        switch self {
        case .arithmetic, .negative, .distance: true
        case .element(.list, _): false
        case .element: true
        case .field, .member, .constant, .list, .variable, .searchableText, .unstorable, .referring: false
        }
    }

    /// The constant result of constant operands, or `nil` if the computation fails.
    private var computed: Filter.Expression? {
        switch FilterCompiler.constant(self) {
        case .nothing?: .constant(nil)
        // No format string can say infinity, and no JSON.
        case .single(.double(let number))? where !number.isFinite: nil
        case .single(let value)?: Filter.Expression(value)
        case .list?, nil: nil
        }
    }
}
