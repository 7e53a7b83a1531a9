extension Filter {
    /// How many levels of NOT, AND, OR, lists and arithmetic a filter may have, one in the other: 100.
    ///
    /// Trees are copied, compared, hashed and freed by recursion, and the bound keeps that within the smallest stack
    /// that a thread has. A chain such as `a AND b AND c` is one level, however long.
    public static let maximumDepth = 100

    /// Refuses a tree that recursion could not go through.
    ///
    /// - Parameter depth: The level of the filter's root in the tree that it is part of.
    func validateDepth(from depth: Int = 1) throws(CabinetError) {
        // No recursion here: this is what makes it safe everywhere else.
        var filters: [(filter: Filter, depth: Int)] = [(self, depth)]
        while let (filter, depth) = filters.popLast() {
            if depth > Self.maximumDepth { throw Self.tooDeep }
            switch filter {
            case .constant: break
            case .comparison(let comparison):
                try comparison.left.validateDepth(from: depth)
                try comparison.right.validateDepth(from: depth)
            case .and(let children), .or(let children): filters += children.map { ($0, depth + 1) }
            case .not(let child): filters.append((child, depth + 1))
            }
        }
    }

    static var tooDeep: CabinetError {
        CabinetError(
            .invalidArguments,
            "The filter is more than \(maximumDepth) levels of NOT, AND, OR, lists and arithmetic deep. "
                + "Join filters into one .and or .or instead of nesting them."
        )
    }
}

extension Filter.Expression {
    /// The operands that the expression is made of.
    var operands: [Filter.Expression] {
        switch self {
        case .field, .constant, .variable, .searchableText, .unstorable: []
        case .list(let elements): elements
        case .member(let operand, _), .negative(let operand): [operand]
        case .element(let list, .at(let position)): [list, position]
        case .element(let list, .first), .element(let list, .last), .element(let list, .size): [list]
        case .arithmetic(let left, _, let right), .distance(let left, let right): [left, right]
        }
    }

    private var isList: Bool {
        if case .list = self { true } else { false }
    }

    func validateDepth(from depth: Int) throws(CabinetError) {
        var expressions = [(expression: self, depth: depth)]
        while let (expression, depth) = expressions.popLast() {
            if case .unstorable = expression, expression == .tooDeepExpression { throw Filter.tooDeep }
            let operands = expression.operands
            if operands.isEmpty, !expression.isList { continue }
            if depth >= Filter.maximumDepth { throw Filter.tooDeep }
            expressions += operands.map { ($0, depth + 1) }
        }
    }
}
