/// Parses the tokens after an operand: operators, indexes, paths, and the ends of groups.
extension FilterParser {
    /// Reads a token where an operator is expected, or the end of a group.
    ///
    /// - Returns: Whether an operand is expected afterwards.
    mutating func readOperator(_ token: FilterToken) throws(FilterSyntaxError) -> Bool {
        switch token.kind {
        case .arithmetic(let arithmetic):
            try readArithmetic(arithmetic, token)
            return true
        case .openBracket where operands.last?.isExpression == true:
            return try readIndex(token)
        case .dot where operands.last?.isExpression == true:
            try readMember(token)
            return false
        case .closeBracket:
            try closeIndex(token)
            return false
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
            // Every token that follows here completes the value before it.
            try reduce(downTo: FilterOperation.weakestArithmetic)
            return try readFilterOperator(token)
        }
    }

    /// Reads an operator that makes a filter.
    private mutating func readFilterOperator(_ token: FilterToken) throws(FilterSyntaxError) -> Bool {
        switch token.kind {
        case .comparison(let comparison):
            try readComparison(comparison, token)
        case .and:
            let range = FilterMistake.Range(operations.last, lower: operands.last)
            try readJunction(.and(2), token)
            self.range = range
        case .or:
            try readJunction(.or(2), token)
            range = nil
        default:
            throw FilterMistake.missingOperator(token, operands.last, after: operations.last, in: &lexer)
        }
        return true
    }

    // MARK: Operators

    private mutating func readArithmetic(
        _ arithmetic: Filter.Arithmetic, _ token: FilterToken
    ) throws(FilterSyntaxError) {
        let operation = FilterOperation(kind: .arithmetic(arithmetic), start: token.start, end: token.end)
        try reduce(downTo: operation.precedence + (arithmetic.associatesToTheRight ? 1 : 0))
        if case .filter = operands.last?.value {
            throw FilterSyntaxError(
                at: token.start,
                "a comparison has no value to calculate with; expected AND, OR or the end of the filter.")
        }
        operations.append(operation)
    }

    private mutating func readComparison(
        _ comparison: Filter.Operator, _ token: FilterToken
    ) throws(FilterSyntaxError) {
        if operations.last?.isComparison == true {
            throw FilterSyntaxError(
                at: token.start, "comparisons do not chain; join two with AND, as in 1 < a AND a < 5.")
        }
        if case .filter = operands.last?.value {
            throw FilterSyntaxError(
                at: token.start, "a comparison has no value to compare; expected AND, OR or the end of the filter.")
        }
        var operation = FilterOperation(
            kind: .comparison(wordSearch(comparison)), start: token.start, end: token.end)
        if let last = operations.last, case .quantifier(let quantifier) = last.kind {
            operations.removeLast()
            operation.quantifier = quantifier
            operation.quantifierStart = last.start
        }
        operations.append(operation)
    }

    /// Makes the left operand the searchable text, if a search for words is what was written.
    ///
    /// - Returns: The operator that is meant: `SELF CONTAINS 'milk'` searches for words.
    private mutating func wordSearch(_ comparison: Filter.Operator) -> Filter.Operator {
        switch (operands.last?.origin, comparison) {
        case (.ownRecord, .contains), (.ownRecord, .tokenMatches), (.allTokens, .tokenMatches):
            operands[operands.count - 1].value = .expression(.searchableText)
            return .tokenMatches
        case (.ownRecord, .search), (.allTokens, .search):
            operands[operands.count - 1].value = .expression(.searchableText)
            return .search
        default:
            return comparison
        }
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

    // MARK: Indexes and paths

    /// Reads what stands after `[`, if it is a word.
    ///
    /// - Returns: Whether a value is expected there instead.
    private mutating func readIndex(_ token: FilterToken) throws(FilterSyntaxError) -> Bool {
        guard let index = lexer.indexWord() else {
            operations.append(FilterOperation(kind: .bracket, start: token.start, end: token.end))
            return true
        }
        try replaceLast(depth: 0) { .element($0, index) }
        return false
    }

    private mutating func closeIndex(_ token: FilterToken) throws(FilterSyntaxError) {
        try reduce(downTo: 1)
        guard operations.last?.kind == .bracket else {
            throw FilterMistake.unexpectedClose(token, "]", within: operations.last)
        }
        operations.removeLast()
        guard let position = operands.popLast() else { return }
        let index = Filter.Index.at(try expression(of: position))
        try replaceLast(depth: position.depth) { .element($0, index) }
    }

    /// Reads the path that leads on from a value: `.name` in `friends[0].name`.
    private mutating func readMember(_ token: FilterToken) throws(FilterSyntaxError) {
        lexer.move(to: token.start)
        let path = try lexer.path(from: nil, isContinued: true)
        try replaceLast(depth: 0) { .member($0, path) }
    }

    /// Replaces the last value with one that is computed from it.
    ///
    /// - Parameter depth: The depth of the other operand.
    private mutating func replaceLast(
        depth: Int, _ parent: (Filter.Expression) -> Filter.Expression
    ) throws(FilterSyntaxError) {
        guard let operand = operands.popLast() else { return }
        let value = parent(try expression(of: operand))
        try append(
            .expression(value), depth: 1 + max(depth, operand.depth), start: operand.start, end: lexer.offset,
            .operation)
    }

    // MARK: Groups

    private mutating func closeParenthesis(_ token: FilterToken) throws(FilterSyntaxError) {
        try reduce(downTo: 1)
        switch operations.last?.kind {
        case .parenthesis:
            let group = operations.removeLast()
            operands[operands.count - 1].start = group.start
            operands[operands.count - 1].end = token.end
        case .call(let function, let first):
            try closeCall(function, first: first, token)
        case .subquery(let type, let field, _):
            try closeSubquery(type, by: field, token)
        default:
            throw FilterMistake.unexpectedClose(token, ")", within: operations.last)
        }
    }

    private mutating func closeCall(
        _ function: FilterFunction, first: Int, _ token: FilterToken
    ) throws(FilterSyntaxError) {
        let call = operations.removeLast()
        guard operands.count == first + 2, let right = operands.popLast(), let left = operands.popLast() else {
            throw FilterMistake.wrongParameters(function, at: call.start)
        }
        let values = (try expression(of: left), try expression(of: right))
        switch function {
        case .distance:
            try append(
                .expression(.distance(values.0, values.1)), depth: 1 + max(left.depth, right.depth), start: call.start,
                end: token.end, .operation)
        case .tokenize:
            guard case .constant(.string) = values.1 else {
                throw FilterMistake.wrongParameters(function, at: right.start)
            }
            try append(.expression(values.0), depth: left.depth, start: call.start, end: token.end, .operation)
        case .cast:
            let value = try cast(left, to: right, in: call)
            let depth = if case .list = value { max(1, left.depth) } else { 0 }
            try append(.expression(value), depth: depth, start: call.start, end: token.end, .literal)
        }
    }

    /// Returns the constant of `CAST` with its parameters.
    private func cast(
        _ left: FilterOperand, to right: FilterOperand, in call: FilterOperation
    ) throws(FilterSyntaxError) -> Filter.Expression {
        guard case .constant(.string(let name)) = try expression(of: right) else {
            throw FilterMistake.wrongParameters(.cast, at: right.start)
        }
        guard let cast = FilterCast(name) else { throw FilterMistake.unsupportedCast(name, at: right.start) }
        guard let value = cast.expression(try expression(of: left)) else {
            throw FilterSyntaxError(at: left.start, "'CAST' creates \(cast.usage).")
        }
        return value
    }

    /// Ends an element of a list, or a parameter, at a comma or at the closing brace.
    @discardableResult
    private mutating func closeElement(_ token: FilterToken) throws(FilterSyntaxError) -> (first: Int, start: Int) {
        try reduce(downTo: 1)
        let position: (first: Int, start: Int)
        switch (operations.last?.kind, token.kind) {
        case (.brace(let first), _), (.chain(_, let first), _), (.call(_, let first), .comma):
            position = (first, operations.last?.start ?? token.start)
        case (_, .comma):
            throw FilterMistake.unexpectedComma(token, within: operations.last)
        default:
            throw FilterMistake.unexpectedClose(token, "}", within: operations.last)
        }
        if operands.count > position.first, let element = operands.last {
            if case .chain? = operations.last?.kind {
                _ = try filter(of: element)
            } else {
                _ = try expression(of: element)
            }
        }
        return position
    }

    mutating func closeList(_ token: FilterToken) throws(FilterSyntaxError) {
        let (first, start) = try closeElement(token)
        let group = operations.removeLast()
        if case .chain(let isAnd, _) = group.kind { return try closeChain(isAnd: isAnd, first: first, group, token) }
        var elements: [Filter.Expression] = []
        elements.reserveCapacity(operands.count - first)
        var depth = 0
        for operand in operands[first...] {
            elements.append(try expression(of: operand))
            depth = max(depth, operand.depth)
        }
        operands.removeLast(operands.count - first)
        let list = Filter.Expression(list: elements)
        if case .constant = list {} else { depth += 1 }
        try append(.expression(list), depth: depth, start: start, end: token.end, .list)
    }

    /// Ends `AND {` or `OR {`, whose filters form one chain without rearrangement.
    private mutating func closeChain(
        isAnd: Bool, first: Int, _ group: FilterOperation, _ token: FilterToken
    ) throws(FilterSyntaxError) {
        var children: [Filter] = []
        var depth = 0
        for operand in operands[first...] {
            children.append(try filter(of: operand))
            depth = max(depth, operand.depth)
        }
        operands.removeLast(operands.count - first)
        try append(
            .filter(isAnd ? .and(children) : .or(children)), depth: depth + 1, start: group.start, end: token.end,
            .filter)
    }
}
