/// Reduces operands to trees.
extension FilterParser {
    /// Carries out the waiting operators that bind at least as tightly as a precedence.
    mutating func reduce(downTo precedence: Int) throws(FilterSyntaxError) {
        while let operation = operations.last, operation.precedence >= precedence {
            operations.removeLast()
            switch operation.kind {
            case .parenthesis, .brace, .chain, .bracket, .call, .subquery: return
            case .comparison(let comparison): try reduce(comparison, operation)
            case .quantifier: throw FilterMistake.loneQuantifier(operation, operands.last, in: lexer)
            case .not: try reduceNot(operation)
            case .and(let count): try reduceChain(count) { .and($0) }
            case .or(let count): try reduceChain(count) { .or($0) }
            case .arithmetic(let arithmetic): try reduce(arithmetic)
            case .negative: try reduceNegative(operation)
            }
        }
    }

    private mutating func reduce(
        _ comparison: Filter.Operator, _ operation: FilterOperation
    ) throws(FilterSyntaxError) {
        guard let right = operands.popLast(), let left = operands.popLast() else { return }
        let filter = Filter.comparison(
            Filter.Comparison(
                try expression(of: left), comparison, try expression(of: right), options: operation.options,
                quantifier: operation.quantifier))
        let start = operation.quantifierStart ?? left.start
        try append(.filter(filter), depth: 1 + max(left.depth, right.depth), start: start, end: right.end, .filter)
    }

    private mutating func reduce(_ arithmetic: Filter.Arithmetic) throws(FilterSyntaxError) {
        guard let right = operands.popLast(), let left = operands.popLast() else { return }
        let value = Filter.Expression.arithmetic(try expression(of: left), arithmetic, try expression(of: right))
        try append(
            .expression(value), depth: 1 + max(left.depth, right.depth), start: left.start, end: right.end, .operation)
    }

    private mutating func reduceNegative(_ operation: FilterOperation) throws(FilterSyntaxError) {
        guard let operand = operands.popLast() else { return }
        let value = Filter.Expression.negative(try expression(of: operand))
        try append(.expression(value), depth: 1 + operand.depth, start: operation.start, end: operand.end, .operation)
    }

    private mutating func reduceNot(_ operation: FilterOperation) throws(FilterSyntaxError) {
        guard let child = operands.popLast() else { return }
        let filter = Filter.not(try filter(of: child))
        try append(.filter(filter), depth: 1 + child.depth, start: operation.start, end: child.end, .filter)
    }

    private mutating func reduceChain(_ count: Int, _ join: ([Filter]) -> Filter) throws(FilterSyntaxError) {
        let first = operands.count - count
        guard first >= 0, let last = operands.last else { return }
        let start = operands[first].start
        var depth = 0
        var children: [Filter] = []
        // `(a AND b) AND c` is `a AND b AND c`. The children are taken out, not copied, or such a chain would take
        // quadratic time.
        if let same = takeChildren(at: first, ofChainLike: join([])) {
            depth = operands[first].depth
            children = same
        } else {
            depth = 1 + operands[first].depth
            children.reserveCapacity(count)
            children.append(try filter(of: operands[first]))
        }
        for operand in operands[(first + 1)...] {
            depth = max(depth, 1 + operand.depth)
            children.append(try filter(of: operand))
        }
        operands.removeLast(count)
        try append(.filter(join(children)), depth: depth, start: start, end: last.end, .filter)
    }

    private mutating func takeChildren(at index: Int, ofChainLike sample: Filter) -> [Filter]? {
        guard case .filter(let chain) = operands[index].value else { return nil }
        operands[index].value = .filter(.constant(true))
        switch (chain, sample) {
        case (.and(let children), .and), (.or(let children), .or):
            return children
        default:
            operands[index].value = .filter(chain)
            return nil
        }
    }

    mutating func append(
        _ value: FilterOperand.Value, depth: Int, start: Int, end: Int, _ origin: FilterOperand.Origin
    ) throws(FilterSyntaxError) {
        if depth > Filter.maximumDepth {
            throw FilterSyntaxError(
                at: start,
                "the filter is more than \(Filter.maximumDepth) levels of NOT, AND, OR, lists, arithmetic and SUBQUERY deep."
            )
        }
        operands.append(FilterOperand(value: value, depth: depth, start: start, end: end, origin: origin))
    }

    func filter(of operand: FilterOperand) throws(FilterSyntaxError) -> Filter {
        switch operand.value {
        case .filter(let filter): return filter
        case .expression(let expression):
            throw FilterMistake.noComparison(operand, expression, after: range)
        }
    }

    func expression(of operand: FilterOperand) throws(FilterSyntaxError) -> Filter.Expression {
        switch operand.value {
        case .expression(let expression): return expression
        case .filter:
            throw FilterSyntaxError(at: operand.start, "expected a value, found a comparison.")
        }
    }
}

extension Filter.Arithmetic {
    /// The precedence of the operator, from 0.
    var precedence: Int {
        switch self {
        case .plus, .minus: 0
        case .times, .dividedBy: 1
        case .toThePower: 2
        }
    }

    /// The precedence of a minus sign before a value.
    static let negativePrecedence = 3

    /// Whether `a ** b ** c` is `a ** (b ** c)`.
    var associatesToTheRight: Bool { self == .toThePower }
}
