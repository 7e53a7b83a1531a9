/// Reads a format string.
///
/// The parser keeps operands and waiting operators on stacks of its own, so that nested text needs no deep recursion,
/// and reads every token once. A parenthesis may hold a value or a filter. The operand decides which it was when the
/// parenthesis is closed, so that nothing is read twice.
struct FilterParser {
    var lexer: FilterLexer
    var arguments: FilterArguments
    var operands: [FilterOperand] = []
    var operations: [FilterOperation] = []
    /// The variables of the SUBQUERYs whose filters are being read.
    var subqueryVariables: [String] = []
    /// A BETWEEN without a list before the last AND, which is how other languages write a range.
    var range: FilterMistake.Range?

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
            } else if case .end = token.kind {
                return try finish(at: token.start)
            } else {
                expectsOperand = try readOperator(token)
            }
        }
    }

    private mutating func finish(at end: Int) throws(FilterSyntaxError) -> Filter {
        try reduce(downTo: 1)
        if let group = operations.last {
            let sign = group.signs?.open ?? "("
            // A function's parenthesis is its last sign.
            throw FilterSyntaxError(at: group.end - sign.utf8.count, "this '\(sign)' is not closed.")
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
        try refuseOtherRecords(token)
        switch token.kind {
        case .name(let path): push(.expression(.field(path)), token, .field)
        case .variable(let name) where name == subqueryVariables.last: try readSubject(token)
        case .allTokens: push(.expression(.field("allTokens")), token, .allTokens)
        case .ownRecord: push(.expression(.field(SystemField.recordID.rawValue)), token, .ownRecord)
        case .variable(let name): push(.expression(.variable(name)), token, .operation)
        case .text(let text): push(.expression(.constant(.string(text))), token, .literal)
        case .integer(let number): push(.expression(.constant(.int64(number))), token, .literal)
        case .double(let number): push(.expression(.constant(.double(number))), token, .literal)
        case .null: push(.expression(.constant(nil)), token, .literal)
        case .boolean(let value): push(.expression(.constant(.int64(value ? 1 : 0))), token, .boolean(value))
        case .predicate(let value): push(.filter(.constant(value)), token, .filter)
        case .specifier(let specifier):
            var expression = try arguments.next(for: specifier, at: token.start)
            if specifier == .key, case .field(let path) = expression {
                expression = .field(try continued(path, from: token.start))
            }
            push(.expression(expression), token, .specifier(specifier))
        case .closeBrace where isEmptyList:
            try closeList(token)
        case .openBracket where operations.last?.takesOptions == true:
            guard case .comparison(let comparison)? = operations.last?.kind,
                let options = lexer.options(of: comparison)
            else { fallthrough }
            operations[operations.count - 1].options = options
            operations[operations.count - 1].hasOptions = true
            operations[operations.count - 1].end = lexer.offset
            return true
        default:
            operations.append(try prefix(token))
            return true
        }
        return false
    }

    /// Returns the operation that a token before an operand begins: a group, or an operator with one operand.
    private mutating func prefix(_ token: FilterToken) throws(FilterSyntaxError) -> FilterOperation {
        switch token.kind {
        case .openParenthesis:
            return FilterOperation(kind: .parenthesis, start: token.start, end: token.end)
        case .openBrace:
            return FilterOperation(kind: .brace(first: operands.count), start: token.start, end: token.end)
        case .arithmetic(.minus):
            return FilterOperation(kind: .negative, start: token.start, end: token.end)
        case .not where acceptsFilter:
            return FilterOperation(kind: .not, start: token.start, end: token.end)
        case .quantifier(let quantifier) where acceptsFilter:
            return FilterOperation(kind: .quantifier(quantifier), start: token.start, end: token.end)
        case .and where acceptsFilter && lexer.nextByte == UInt8(ascii: "{"),
            .or where acceptsFilter && lexer.nextByte == UInt8(ascii: "{"):
            let brace = try lexer.next(expectsOperand: true)
            let isAnd = if case .and = token.kind { true } else { false }
            return FilterOperation(
                kind: .chain(isAnd: isAnd, first: operands.count), start: token.start, end: brace.end)
        case .function(let function):
            return try call(function, token)
        case .otherWord("SUBQUERY"):
            return try subquery(token)
        default:
            throw FilterMistake.missingOperand(token, after: operations.last, isFirst: isAtStart, in: lexer)
        }
    }

    /// Reads the parenthesis after a function's name.
    private mutating func call(
        _ function: FilterFunction, _ token: FilterToken
    ) throws(FilterSyntaxError) -> FilterOperation {
        if function == .tokenize, operations.last?.kind != .comparison(.tokenMatches) {
            throw FilterSyntaxError(
                at: token.start, "'\(function.rawValue)' stands on the right side of TOKENMATCHES alone.")
        }
        let parenthesis = try lexer.next(expectsOperand: true)
        guard case .openParenthesis = parenthesis.kind else {
            let word = String(decoding: lexer.bytes[token.start..<token.end], as: UTF8.self)
            let hint = function == .cast ? " For a field of that name write #\(word)." : ""
            throw FilterSyntaxError(at: parenthesis.start, "expected '(' after '\(function.rawValue)'.\(hint)")
        }
        return FilterOperation(
            kind: .call(function, first: operands.count), start: token.start, end: parenthesis.end)
    }

    /// A path from an argument, with the steps that the format adds to it: `%K.name`.
    private mutating func continued(_ path: String, from start: Int) throws(FilterSyntaxError) -> String {
        let whole = try lexer.path(from: path)
        if let message = FilterKeyPath.syntaxError(FilterKeyPath.steps(of: whole)) {
            throw FilterSyntaxError(at: start, "the key path '\(whole)' \(message).")
        }
        return whole
    }

    private var isAtStart: Bool { operands.isEmpty && operations.isEmpty }

    /// Whether `{` is the last that was read.
    private var isEmptyList: Bool {
        switch operations.last?.kind {
        case .brace(let first), .chain(_, let first): operands.count == first
        default: false
        }
    }

    /// Whether a whole filter may stand here, and not only a value.
    private var acceptsFilter: Bool {
        switch operations.last?.kind {
        case .comparison, .quantifier, .brace, .bracket, .call, .arithmetic, .negative: false
        case .parenthesis, .chain, .and, .or, .not, .subquery, nil: true
        }
    }

    mutating func push(_ value: FilterOperand.Value, _ token: FilterToken, _ origin: FilterOperand.Origin) {
        let depth = if case .filter = value { 1 } else { 0 }
        operands.append(
            FilterOperand(value: value, depth: depth, start: token.start, end: lexer.offset, origin: origin))
    }
}
