/// Parses `SUBQUERY(Items.list, $item, $item.number > 3).@count`.
extension FilterParser {
    /// Refuses a field of another record than that of the innermost SUBQUERY.
    func refuseOtherRecords(_ token: FilterToken) throws(FilterSyntaxError) {
        guard let variable = subqueryVariables.last else { return }
        let isOther =
            switch token.kind {
            case .name, .allTokens, .ownRecord, .specifier(.key): true
            case .variable(let name): name != variable && subqueryVariables.contains(name)
            default: false
            }
        if isOther { throw FilterMistake.fieldWithoutVariable(token, variable, in: lexer) }
    }

    /// Reads the parenthesis after SUBQUERY, up to the filter.
    mutating func subquery(_ token: FilterToken) throws(FilterSyntaxError) -> FilterOperation {
        let parenthesis = try lexer.next(expectsOperand: true)
        guard case .openParenthesis = parenthesis.kind else {
            throw FilterMistake.wrongSubquery(at: token.start)
        }
        let collection = try lexer.next(expectsOperand: true)
        var path: String?
        switch collection.kind {
        case .name(let name): path = name
        case .specifier(.key):
            if case .field(let name) = try arguments.next(for: .key, at: collection.start) { path = name }
        default: break
        }
        let steps = path.map(FilterKeyPath.steps) ?? []
        guard steps.count == 2, !steps[1].hasPrefix("@") else {
            throw FilterMistake.wrongSubquery(at: collection.start)
        }
        try readComma()
        let variable = try lexer.next(expectsOperand: true)
        guard case .variable(let name) = variable.kind else { throw FilterMistake.wrongSubquery(at: variable.start) }
        try readComma()
        subqueryVariables.append(name)
        return FilterOperation(
            kind: .subquery(String(steps[0]), by: String(steps[1]), variable: name), start: token.start,
            end: parenthesis.end)
    }

    private mutating func readComma() throws(FilterSyntaxError) {
        let comma = try lexer.next(expectsOperand: false)
        guard case .comma = comma.kind else { throw FilterMistake.wrongSubquery(at: comma.start) }
    }

    /// Reads the path after the variable of a SUBQUERY: a field of the record that it stands for, or else that record.
    mutating func readSubject(_ token: FilterToken) throws(FilterSyntaxError) {
        let path = try lexer.path(from: nil)
        if path.isEmpty {
            push(.expression(.field(SystemField.recordID.rawValue)), token, .ownRecord)
        } else {
            push(.expression(.field(path)), token, .field)
        }
    }

    mutating func closeSubquery(
        _ type: Record.RecordType, by field: Record.FieldKey, _ token: FilterToken
    ) throws(FilterSyntaxError) {
        let start = operations.removeLast().start
        subqueryVariables.removeLast()
        guard let last = operands.popLast() else { return }
        let filter = try filter(of: last)
        let next = lexer.nextOffset
        // Only the number of the records has a meaning.
        guard lexer.nextByte == UInt8(ascii: "."), try lexer.path(from: nil, isContinued: true).lowercased() == "@count"
        else { throw FilterMistake.subqueryWithoutCount(at: next) }
        try append(
            .expression(.referring(type, by: field, where: filter)), depth: 1 + last.depth, start: start,
            end: lexer.offset, .operation)
    }
}
