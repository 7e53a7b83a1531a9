/// The errors of the parser that name the correct spelling of a common mistake.
enum FilterMistake {
    /// Returns the error for a token other than a field, a value or `(` where an operand is expected.
    static func missingOperand(
        _ token: FilterToken, after operation: FilterOperation?, isFirst: Bool, in lexer: FilterLexer
    ) -> FilterSyntaxError {
        let found = describe(token, in: lexer)
        var hint = ""
        switch token.kind {
        case .end where isFirst:
            return FilterSyntaxError(at: token.start, "the filter is empty; for all records write TRUEPREDICATE.")
        case .otherWord(let word):
            return unsupportedWord(word, at: token.start)
        case .openBracket:
            return bracket(token, after: operation, in: lexer)
        case .closeBracket where operation?.kind == .bracket:
            return FilterSyntaxError(
                at: token.start, "expected an index between the brackets: a number, FIRST, LAST or SIZE.")
        case .arithmetic(.plus):
            return FilterSyntaxError(at: token.start, "a '+' stands between two values; leave it out before one.")
        case .dot:
            return FilterSyntaxError(at: token.start, "a key path begins with a name, as in list.name.")
        case .comparison, .not:
            if let operation, operation.takesOptions, operation.end == token.start {
                return doubledOperator(operation, token, in: lexer)
            }
            if case .comparison = token.kind, lexer.bytes[token.start].beginsName {
                hint = " For a field of that name write #\(text(token.start..<token.end, in: lexer))."
            }
        case .quantifier:
            return FilterSyntaxError(
                at: token.start, "\(found) stands before a whole comparison, as in ANY tags == 'new'.")
        default:
            break
        }
        let place = operation.map { " after '\(text($0.start..<$0.end, in: lexer))'" } ?? ""
        return FilterSyntaxError(at: token.start, "expected a field, a value or '('\(place), found \(found).\(hint)")
    }

    /// Returns the error for two signs that are not an operator together, such as `===`.
    private static func doubledOperator(
        _ operation: FilterOperation, _ token: FilterToken, in lexer: FilterLexer
    ) -> FilterSyntaxError {
        let written = text(operation.start..<token.end, in: lexer)
        if written == "<<" || written == ">>" {
            return FilterSyntaxError(
                at: operation.start,
                "'\(written)' is not an operator. Operators on bits are not supported: keep each flag in a field of its own."
            )
        }
        let meant =
            switch written {
            case "===", "==!", "====": "=="
            case "=!", "!==", "<>=", "=<>": "!="
            case "<==", "==<", "=<=": "<="
            case ">==", "==>", "=>=": ">="
            default: "one of == != < <= > >="
            }
        return FilterSyntaxError(at: operation.start, "'\(written)' is not an operator. Write \(meant).")
    }

    /// Returns the error for `[c]` after an operator, or for a list in the brackets of another language.
    private static func bracket(
        _ token: FilterToken, after operation: FilterOperation?, in lexer: FilterLexer
    ) -> FilterSyntaxError {
        let list = FilterSyntaxError(at: token.start, "a list is written in braces, as in {1, 2}.")
        guard case .comparison(let comparison)? = operation?.kind, let letters = lexer.bracketed(), !letters.isEmpty,
            letters.utf8.allSatisfy({ $0.beginsName || $0 == UInt8(ascii: " ") })
        else { return list }
        if letters.utf8.allSatisfy({ "cdnlwCDNLW ".utf8.contains($0) }) {
            if operation?.options.isEmpty == false {
                return FilterSyntaxError(at: token.start, "an operator's options stand in one pair of brackets: [cd].")
            }
            return FilterSyntaxError(
                at: token.start, "'[\(letters)]' is not supported; the options are [c], [d] and [cd].")
        }
        if [.in, .between, .contains].contains(comparison) { return list }
        return FilterSyntaxError(
            at: token.start,
            "'[\(letters)]' is not an option. "
                + "Write [c] to ignore case, [d] to ignore accents, or [cd].")
    }

    /// Returns the error for a token other than an operator or the end, where one is expected.
    static func missingOperator(
        _ token: FilterToken, _ operand: FilterOperand?, after operation: FilterOperation?, in lexer: inout FilterLexer
    ) -> FilterSyntaxError {
        func error(_ message: String) -> FilterSyntaxError { FilterSyntaxError(at: token.start, message) }
        let shown = operand.map { text($0.start..<$0.end, in: lexer) } ?? "x"
        switch token.kind {
        case .otherWord(let word):
            return unsupportedWord(word, at: token.start)
        case .assignment:
            return error("':=' is not an operator. To compare, write ==.")
        case .openParenthesis where operand?.origin == .field:
            return unsupportedFunction(shown, at: operand?.start ?? token.start)
        case .quantifier:
            let word = text(token.start..<token.end, in: lexer)
            return error("'\(word)' stands before the whole comparison; write \(word) \(shown) ….")
        case .not:
            // Only a message depends on what follows, so it does not matter if it cannot be read.
            if case .comparison(let next)? = (try? lexer.next(expectsOperand: false))?.kind {
                return error("NOT stands before the whole comparison; write NOT \(shown) \(next.rule.symbol) ….")
            }
            return error("NOT stands before the whole comparison; to compare write \(shown) != ….")
        case .name(let name):
            if let message = foreignWord(name, after: shown) { return error(message) }
            if operand?.origin == .field, operation?.isComparison == true {
                return error("expected AND, OR or the end of the filter, found '\(name)'; text stands in quotes.")
            }
        case .specifier(let specifier) where operand?.isExpression == true && operation?.isComparison != true:
            return error("\(specifier.spelling) stands for a value, not for an operator; write the operator itself.")
        default:
            break
        }
        let found = describe(token, in: lexer)
        if operand?.isExpression == true, operation?.isComparison != true {
            return error("expected an operator such as '==', found \(found).")
        }
        return error("expected AND, OR or the end of the filter, found \(found).")
    }

    /// Returns the error for a quantifier such as ANY before anything other than a comparison.
    static func loneQuantifier(
        _ operation: FilterOperation, _ operand: FilterOperand?, in lexer: FilterLexer
    ) -> FilterSyntaxError {
        let word = text(operation.start..<operation.end, in: lexer)
        let hint = operand?.isExpression == true ? "." : "; leave out the parentheses around it."
        return FilterSyntaxError(
            at: operation.start, "'\(word)' stands before one comparison, as in \(word) tags == 'new'\(hint)")
    }

    /// Returns the error for a value where a comparison is expected.
    static func noComparison(
        _ operand: FilterOperand, _ expression: Filter.Expression, after range: Range?
    ) -> FilterSyntaxError {
        let shown = expression.abbreviated
        if let range {
            return FilterSyntaxError(
                at: range.start,
                "BETWEEN takes a list of two values; write BETWEEN {\(range.lower.abbreviated), \(shown)}.")
        }
        let message =
            switch operand.origin {
            case .field, .allTokens: "'\(shown)' is not a comparison. For a field that is true, write \(shown) == YES."
            case .boolean(true): "a value is not a comparison. For all records, write TRUEPREDICATE."
            case .boolean(false): "a value is not a comparison. For no record, write FALSEPREDICATE."
            case .specifier(let specifier):
                "\(specifier.spelling) stands for a value, not for a whole filter; "
                    + "expected an operator such as '==' after it."
            case .ownRecord, .literal, .list, .operation, .filter:
                "\(shown) is not a comparison: expected an operator such as '==' after it."
            }
        return FilterSyntaxError(at: operand.start, message)
    }

    /// The error for `BETWEEN 1 AND 5`.
    struct Range {
        fileprivate let start: Int
        fileprivate let lower: Filter.Expression

        /// - Returns: `nil` unless the operation is a BETWEEN whose right operand is not a list.
        init?(_ operation: FilterOperation?, lower operand: FilterOperand?) {
            guard let operation, operation.kind == .comparison(.between),
                case .expression(let expression)? = operand?.value
            else { return nil }
            if case .list = expression { return nil }
            if case .constant(.list) = expression { return nil }
            start = operation.start
            lower = expression
        }
    }

    static func unexpectedClose(
        _ token: FilterToken, _ sign: String, within operation: FilterOperation?
    ) -> FilterSyntaxError {
        switch operation?.kind {
        case .brace, .chain: FilterSyntaxError(at: token.start, "expected '}' or ',' in the list, found '\(sign)'.")
        case .parenthesis: FilterSyntaxError(at: token.start, "expected ')', found '\(sign)'.")
        case .bracket: FilterSyntaxError(at: token.start, "expected ']' after the index, found '\(sign)'.")
        case .call(let function, _):
            FilterSyntaxError(
                at: token.start,
                "expected ')' or ',' in the parentheses of '\(function.rawValue)', found '\(sign)'.")
        default:
            FilterSyntaxError(at: token.start, "there is no '\(opening[sign] ?? sign)' for this '\(sign)'.")
        }
    }

    private static let opening = [")": "(", "}": "{", "]": "["]

    static func unexpectedComma(_ token: FilterToken, within operation: FilterOperation?) -> FilterSyntaxError {
        switch operation?.kind {
        case .parenthesis: FilterSyntaxError(at: token.start, "a list is written in braces, as in {1, 2}.")
        case .bracket: FilterSyntaxError(at: token.start, "expected ']' after the index, found ','.")
        default: FilterSyntaxError(at: token.start, "a comma joins no comparisons; write AND or OR.")
        }
    }

    private static func describe(_ token: FilterToken, in lexer: FilterLexer) -> String {
        if case .end = token.kind { return "the end of the text" }
        let text = text(token.start..<token.end, in: lexer)
        switch token.kind {
        case .text, .integer, .double: return text
        default: return "'\(text)'"
        }
    }

    /// Returns a part of the format, shortened.
    private static func text(_ range: Swift.Range<Int>, in lexer: FilterLexer) -> String {
        let text = String(decoding: lexer.bytes[range].prefix(160), as: UTF8.self)
        return range.count > 160 ? "\(text.prefix(40))…" : abbreviated(text)
    }

    static func abbreviated(_ text: String) -> String {
        text.count > 40 ? "\(text.prefix(40))…" : text
    }
}
