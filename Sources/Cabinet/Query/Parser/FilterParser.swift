/// Reads a format string.
///
/// It keeps operands and waiting operators on stacks of its own, so that a text of any nesting takes no deep recursion,
/// and reads every token once. A parenthesis may hold a value or a filter: which it was, the operand itself tells when
/// the parenthesis is closed, so that nothing has to be read twice.
struct FilterParser {
    private var lexer: FilterLexer
    private var arguments: FilterArguments
    private var operands: [FilterOperand] = []
    private var operations: [FilterOperation] = []
    /// A BETWEEN without a list before the last AND, which is how other languages write a range.
    private var range: FilterMistake.Range?

    init(_ format: String, arguments: [(any FilterArgument)?]) {
        lexer = FilterLexer(format)
        self.arguments = FilterArguments(arguments)
    }

    /// Reads the whole text.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` with the position, the text and a caret.
    /// - Complexity: O(*n*) in the length of the text.
    mutating func parse() throws(CabinetError) -> Filter {
        do {
            return try parseFilter()
        } catch {
            throw error.error(in: lexer.bytes)
        }
    }

    private mutating func parseFilter() throws(FilterSyntaxError) -> Filter {
        var expectsOperand = true
        while true {
            let token = try lexer.next(expectsOperand: expectsOperand)
            if expectsOperand {
                expectsOperand = try readOperand(token)
            } else if token.kind == .end {
                return try finish(at: token.start)
            } else {
                expectsOperand = try readOperator(token)
            }
        }
    }

    private mutating func finish(at end: Int) throws(FilterSyntaxError) -> Filter {
        try reduce(downTo: 1)
        if let group = operations.last {
            let sign = group.kind == .parenthesis ? "(" : "{"
            throw FilterSyntaxError(at: group.start, "this '\(sign)' is not closed.")
        }
        guard let last = operands.popLast() else { throw FilterSyntaxError(at: end, "the filter is empty.") }
        let filter = try filter(of: last)
        if arguments.remaining > 0 {
            let count = FilterArguments.count(arguments.remaining)
            let place = lexer.quotedSpecifier
            let hint = place == nil ? "" : " Within quotes a specifier is plain text: write %@ without them."
            throw FilterSyntaxError(
                at: place ?? end, "the format has fewer specifiers than arguments: \(count) left over.\(hint)")
        }
        return filter
    }

    // MARK: Operands

    /// Reads a token where an operand is expected.
    ///
    /// - Returns: Whether an operand is still expected afterwards.
    private mutating func readOperand(_ token: FilterToken) throws(FilterSyntaxError) -> Bool {
        switch token.kind {
        case .name(let name): push(.expression(.field(name)), token, .field)
        case .text(let text): push(.expression(.constant(.string(text))), token, .literal)
        case .integer(let number): push(.expression(.constant(.int64(number))), token, .literal)
        case .double(let number): push(.expression(.constant(.double(number))), token, .literal)
        case .null: push(.expression(.constant(nil)), token, .literal)
        case .boolean(let value): push(.expression(.constant(.int64(value ? 1 : 0))), token, .boolean(value))
        case .predicate(let value): push(.filter(.constant(value)), token, .filter)
        case .specifier(let specifier):
            let expression = try arguments.next(for: specifier, at: token.start)
            push(.expression(expression), token, .specifier(specifier))
        case .openParenthesis:
            operations.append(FilterOperation(kind: .parenthesis, start: token.start, end: token.end))
            return true
        case .openBrace:
            operations.append(FilterOperation(kind: .brace(first: operands.count), start: token.start, end: token.end))
            return true
        case .closeBrace where isEmptyList:
            try closeList(token)
        case .not where acceptsFilter:
            operations.append(FilterOperation(kind: .not, start: token.start, end: token.end))
            return true
        case .quantifier(let quantifier) where acceptsFilter:
            operations.append(FilterOperation(kind: .quantifier(quantifier), start: token.start, end: token.end))
            return true
        case .otherSign("[") where operations.last?.takesOptions == true:
            guard let options = lexer.options() else { fallthrough }
            operations[operations.count - 1].options = options
            operations[operations.count - 1].end = lexer.offset
            return true
        default:
            throw FilterMistake.missingOperand(token, after: operations.last, isFirst: isAtStart, in: lexer)
        }
        return false
    }

    private var isAtStart: Bool { operands.isEmpty && operations.isEmpty }

    /// Whether `{` is the last that was read.
    private var isEmptyList: Bool {
        operations.last?.kind == .brace(first: operands.count)
    }

    /// Whether a whole filter may stand here, and not only a value.
    private var acceptsFilter: Bool {
        switch operations.last?.kind {
        case .comparison, .quantifier, .brace: false
        case .parenthesis, .and, .or, .not, nil: true
        }
    }

    private mutating func push(_ value: FilterOperand.Value, _ token: FilterToken, _ origin: FilterOperand.Origin) {
        let depth = if case .filter = value { 1 } else { 0 }
        operands.append(FilterOperand(value: value, depth: depth, start: token.start, end: token.end, origin: origin))
    }

    // MARK: Operators

    /// Reads a token where an operator is expected, or the end of a group.
    ///
    /// - Returns: Whether an operand is expected afterwards.
    private mutating func readOperator(_ token: FilterToken) throws(FilterSyntaxError) -> Bool {
        switch token.kind {
        case .comparison(let comparison):
            try readComparison(comparison, token)
            return true
        case .and:
            let range = FilterMistake.Range(operations.last, lower: operands.last)
            try readJunction(.and(2), token)
            self.range = range
            return true
        case .or:
            try readJunction(.or(2), token)
            range = nil
            return true
        case .closeParenthesis:
            try closeParenthesis(token)
            return false
        case .closeBrace:
            try closeList(token)
            return false
        case .comma:
            try closeElement(token)
            return true
        default:
            throw FilterMistake.missingOperator(token, operands.last, after: operations.last, in: &lexer)
        }
    }

    private mutating func readComparison(_ comparison: Filter.Operator, _ token: FilterToken) throws(FilterSyntaxError)
    {
        if case .comparison = operations.last?.kind {
            throw FilterSyntaxError(
                at: token.start, "comparisons do not chain; join two with AND, as in 1 < a AND a < 5.")
        }
        if case .filter = operands.last?.value {
            throw FilterSyntaxError(
                at: token.start, "a comparison has no value to compare; expected AND, OR or the end of the filter.")
        }
        var operation = FilterOperation(kind: .comparison(comparison), start: token.start, end: token.end)
        if let last = operations.last, case .quantifier(let quantifier) = last.kind {
            operations.removeLast()
            operation.quantifier = quantifier
            operation.quantifierStart = last.start
        }
        operations.append(operation)
    }

    private mutating func readJunction(_ kind: FilterOperation.Kind, _ token: FilterToken) throws(FilterSyntaxError) {
        let junction = FilterOperation(kind: kind, start: token.start, end: token.end)
        try reduce(downTo: junction.precedence + 1)
        if let last = operands.last { _ = try filter(of: last) }
        // A chain is one operation with many operands, so that it becomes one level of the tree.
        switch (operations.last?.kind, kind) {
        case (.and(let count)?, .and): operations[operations.count - 1].kind = .and(count + 1)
        case (.or(let count)?, .or): operations[operations.count - 1].kind = .or(count + 1)
        default: operations.append(junction)
        }
    }

    private mutating func closeParenthesis(_ token: FilterToken) throws(FilterSyntaxError) {
        try reduce(downTo: 1)
        guard let group = operations.last, group.kind == .parenthesis else {
            throw FilterMistake.unexpectedClose(token, ")", within: operations.last)
        }
        operations.removeLast()
        operands[operands.count - 1].start = group.start
        operands[operands.count - 1].end = token.end
    }

    /// Ends an element of a list, at a comma or at the closing brace.
    @discardableResult
    private mutating func closeElement(_ token: FilterToken) throws(FilterSyntaxError) -> (first: Int, start: Int) {
        try reduce(downTo: 1)
        guard let group = operations.last, case .brace(let first) = group.kind else {
            throw token.kind == .comma
                ? FilterMistake.unexpectedComma(token, within: operations.last)
                : FilterMistake.unexpectedClose(token, "}", within: operations.last)
        }
        if operands.count > first, let element = operands.last { _ = try expression(of: element) }
        return (first, group.start)
    }

    private mutating func closeList(_ token: FilterToken) throws(FilterSyntaxError) {
        let (first, start) = try closeElement(token)
        operations.removeLast()
        var elements: [Filter.Expression] = []
        elements.reserveCapacity(operands.count - first)
        var depth = 0
        for operand in operands[first...] {
            elements.append(try expression(of: operand))
            depth = max(depth, operand.depth)
        }
        operands.removeLast(operands.count - first)
        try append(
            .expression(Filter.Expression(list: elements)), depth: depth + 1, start: start, end: token.end, .list)
    }

    // MARK: Reduction

    /// Carries out the waiting operators that bind at least as tightly as a precedence.
    private mutating func reduce(downTo precedence: Int) throws(FilterSyntaxError) {
        while let operation = operations.last, operation.precedence >= precedence {
            operations.removeLast()
            switch operation.kind {
            case .parenthesis, .brace: return
            case .comparison(let comparison): try reduce(comparison, operation)
            case .quantifier: throw FilterMistake.loneQuantifier(operation, operands.last, in: lexer)
            case .not: try reduceNot(operation)
            case .and(let count): try reduceChain(count) { .and($0) }
            case .or(let count): try reduceChain(count) { .or($0) }
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

    private mutating func append(
        _ value: FilterOperand.Value, depth: Int, start: Int, end: Int, _ origin: FilterOperand.Origin
    ) throws(FilterSyntaxError) {
        if depth > Filter.maximumDepth {
            throw FilterSyntaxError(
                at: start, "the filter is more than \(Filter.maximumDepth) levels of NOT, AND, OR and lists deep.")
        }
        operands.append(FilterOperand(value: value, depth: depth, start: start, end: end, origin: origin))
    }

    private func filter(of operand: FilterOperand) throws(FilterSyntaxError) -> Filter {
        switch operand.value {
        case .filter(let filter): return filter
        case .expression(let expression):
            throw FilterMistake.noComparison(operand, expression, after: range)
        }
    }

    private func expression(of operand: FilterOperand) throws(FilterSyntaxError) -> Filter.Expression {
        switch operand.value {
        case .expression(let expression): return expression
        case .filter:
            throw FilterSyntaxError(at: operand.start, "expected a value, found a comparison.")
        }
    }
}
