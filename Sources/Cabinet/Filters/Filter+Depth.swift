extension Filter {
    /// The maximum number of nested levels of NOT, AND, OR, lists, arithmetic and SUBQUERY in a filter: 100.
    ///
    /// Trees are copied, compared, hashed and freed by recursion, and the limit keeps that within the smallest stack of
    /// a thread. A chain such as `a AND b AND c` is one level, however long.
    public static let maximumDepth = 100

    /// The maximum number of comparisons, operands and joins in a filter: 1,000,000.
    ///
    /// A filter that is built from itself, as in `filter && !filter`, doubles with each step, and would soon be too
    /// large to traverse.
    public static let maximumSize = 1_000_000

    /// Refuses a tree that is too deep for recursion, or too large to traverse.
    ///
    /// - Parameter depth: The level of the filter's root in the tree that contains it.
    func validateDepth(from depth: Int = 1) throws(CabinetError) {
        var room = Self.maximumSize
        try validateDepth(from: depth, &room)
    }

    /// - Parameter room: The number of parts that the filter may still have.
    fileprivate func validateDepth(from depth: Int, _ room: inout Int) throws(CabinetError) {
        // Without recursion, because this check makes recursion safe everywhere else.
        var filters: [(filter: Filter, depth: Int)] = [(self, depth)]
        while let (filter, depth) = filters.popLast() {
            room -= 1
            if depth > Self.maximumDepth || room < 0 { throw Self.tooDeep }
            switch filter {
            case .constant: break
            case .comparison(let comparison):
                filters += try comparison.left.validateDepth(from: depth, &room)
                filters += try comparison.right.validateDepth(from: depth, &room)
            case .and(let children), .or(let children): filters += children.map { ($0, depth + 1) }
            case .not(let child): filters.append((child, depth + 1))
            }
        }
    }

    static var tooDeep: CabinetError {
        CabinetError(
            .invalidArguments,
            "The filter is more than \(maximumDepth) levels of NOT, AND, OR, lists, arithmetic and SUBQUERY deep, or has more than "
                + "\(maximumSize) parts. Join filters into one .and or .or instead of nesting them, and values into one list."
        )
    }
}

extension Filter.Expression {
    /// The operands of the expression.
    package var operands: [Filter.Expression] {
        switch self {
        // The operands of the filter of counted records are not this record's.
        case .field, .constant, .variable, .searchableText, .unstorable, .referring: []
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
        var room = Filter.maximumSize
        for (filter, depth) in try validateDepth(from: depth, &room) {
            try filter.validateDepth(from: depth, &room)
        }
    }

    /// - Parameter room: The number of parts that the filter may still have.
    /// - Returns: The filters of counted records, which remain to be checked, with their levels.
    fileprivate func validateDepth(
        from depth: Int, _ room: inout Int
    ) throws(CabinetError) -> [(filter: Filter, depth: Int)] {
        var filters: [(Filter, Int)] = []
        var expressions = [(expression: self, depth: depth)]
        while let (expression, depth) = expressions.popLast() {
            room -= 1
            if room < 0 { throw Filter.tooDeep }
            if case .unstorable = expression, expression == .tooDeepExpression { throw Filter.tooDeep }
            if case .referring(_, _, let filter) = expression {
                if depth >= Filter.maximumDepth { throw Filter.tooDeep }
                filters.append((filter, depth + 1))
                continue
            }
            let operands = expression.operands
            if operands.isEmpty, !expression.isList { continue }
            if depth >= Filter.maximumDepth { throw Filter.tooDeep }
            expressions += operands.map { ($0, depth + 1) }
        }
        return filters
    }
}
