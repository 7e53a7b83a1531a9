import Cabinet

/// What is in lists, and in texts.
extension FilterTranslator {
    /// Whether an operand is an element of another, or occurs in its text.
    mutating func element(
        _ element: SQLOperand, of whole: SQLOperand, _ options: Filter.Options
    ) throws -> SQLCondition? {
        switch (element, whole) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .list(let elements)): return try membership(of: term, in: elements, options)
        case (_, .term(let list)) where list.type.isList:
            return try isElement(element, of: list, options)
        case (.value(.string(let part)), .term(let term)) where term.kind == .text:
            // SQL's `instr` compares bytes by length; NUL is a byte like others. It finds the empty text everywhere.
            if part.isEmpty { return .never }
            if Self.isLong(part) { return test(whole, .contains, element, []) }
            return term.condition("instr(\(term.text), \(builder.parameter(.text(part)))) > 0")
        case (.term(let term), .value(.string(let text))) where term.kind == .text:
            if Self.isLong(text) { return test(element, .in, whole, []) }
            let parameter = builder.parameter(.text(text))
            return term.condition("instr(\(parameter), \(term.text)) > 0 AND \(term.text) <> ''")
        case (.term(let part), .term(let text)) where part.kind == .text && text.kind == .text:
            return test(whole, .contains, element, [])
        default: return nil
        }
    }

    /// Whether a text is too long to look for with SQL's `instr`, which takes the product of both lengths at worst.
    static func isLong(_ part: String) -> Bool { part.utf8.count > 256 }

    /// Whether a term is one of a list's elements, which need not be constants.
    private mutating func membership(
        of term: SQLTerm, in elements: [Filter.Expression], _ options: Filter.Options
    ) throws -> SQLCondition? {
        guard let kind = term.kind, elements.count <= SQLBuilder.maximumParameters else { return nil }
        var values: [FieldValue] = []
        var references: [RecordID] = []
        var others: [SQLCondition] = []
        for element in elements {
            switch operand(element, folding: options) {
            // A nil field is in no list, so a nil element is nobody's match.
            case .null: continue
            case .value(let value):
                guard !value.fieldType.isList, let valueKind = ComparisonKind(value.fieldType.scalar) else {
                    return nil
                }
                guard kind == valueKind else { continue }
                if case .reference(let reference) = value {
                    references.append(reference.recordID)
                } else {
                    values.append(value)
                }
            case .term(let other):
                guard let isSame = try equal(.term(term), .term(other)) else { return nil }
                others.append(.all([isSame, term.condition("\(term.text) IS NOT NULL")]))
            case .list, .unknown: return nil
            }
        }
        let isConstant: SQLCondition?
        if kind == .reference {
            isConstant = try membership(of: term, in: references)
        } else {
            isConstant = membership(of: term, in: values)
        }
        return isConstant.map { .any([$0] + others) }
    }

    /// Whether a term refers to one of some records.
    mutating func membership(of term: SQLTerm, in references: [RecordID]) throws -> SQLCondition? {
        let names = Dictionary(grouping: references, by: \.zoneID).sorted { ZoneTable.precedes($0.key, $1.key) }
        var conditions: [SQLCondition] = []
        for (zoneID, ids) in names {
            guard let inZone = try condition(term, pointsInto: zoneID) else { continue }
            guard let isMember = membership(of: term, in: ids.map { .string($0.recordName) }) else { return nil }
            conditions.append(.all([isMember, inZone]))
        }
        return .any(conditions)
    }

    private mutating func membership(of term: SQLTerm, in values: [FieldValue]) -> SQLCondition? {
        guard let last = values.last else { return .never }
        // The last value fills the list up to a power of two, so that lists of any length share a few statements.
        var count = 1
        while count < values.count { count *= 2 }
        var parameters: [String] = []
        for value in values + repeatElement(last, count: count - values.count) {
            guard let parameter = parameter(value) else { return nil }
            parameters.append(parameter)
        }
        return term.condition("\(term.text) IN (\(parameters.joined(separator: ", ")))")
    }

    // MARK: List fields

    private mutating func isElement(
        _ element: SQLOperand, of list: SQLTerm, _ options: Filter.Options
    ) throws -> SQLCondition? {
        if list.type.scalar == .string {
            switch element {
            case .value(let value):
                guard case .string(let text) = value else { return value.fieldType.isList ? nil : .never }
                return texts(list, .any, .equal, builder.parameter(.text(text)), 0, options)
            case .term(let term):
                // The list's text is folded, and the term is already; folding twice changes nothing.
                guard term.kind == .text else { return term.kind == nil ? nil : .never }
                return texts(list, .any, .equal, term.text, term.depth, options)
            default: return nil
            }
        }
        return try elements(of: list, .any) { translator, term in
            guard let isSame = try translator.equal(.term(term), element) else { return nil }
            // Elements are not nil, but what they are compared with may be.
            return isSame
        }
    }

    /// A comparison of the elements of a list of text with a text.
    func texts(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: String,
        _ rightDepth: Int, _ options: Filter.Options
    ) -> SQLCondition {
        .sql(
            "cabinet_list_test(\(list.text), '\(quantifier.rawValue)', '\(`operator`.rawValue)', \(right), "
                + "\(options.rawValue))", depth: max(list.depth, rightDepth) + 2)
    }

    /// A comparison of the elements of a list of whole numbers or references, each of which is a term.
    mutating func elements(
        of list: SQLTerm, _ quantifier: Filter.Quantifier,
        _ comparison: (inout Self, SQLTerm) throws -> SQLCondition?
    ) throws -> SQLCondition? {
        // A list within a condition on a list's elements needs a name of its own.
        let alias = "\"$element\(listLevel)\""
        let element = "\(alias).\"value\""
        listLevel += 1
        defer { listLevel -= 1 }
        let text: String
        switch list.type.scalar {
        case .int64: text = element
        case .reference: text = "json_extract(\(element), '$.name')"
        // SQLite does not read text with a NUL, and not all fractions, as they were written.
        default: return nil
        }
        let term = SQLTerm(
            text: text, type: FieldType(list.type.scalar), targetZone: list.targetZone, depth: list.depth + 1)
        guard let condition = try comparison(&self, term) else { return nil }
        let source = "SELECT 1 FROM json_each(\(list.text)) AS \(alias)"
        let isAll = quantifier == .all
        let prefix = isAll || quantifier == .none ? "NOT EXISTS" : "EXISTS"
        switch isAll ? condition.negated : condition {
        case .never: return isAll || quantifier == .none ? .always : .never
        case .always: return .sql("\(prefix) (\(source))", depth: list.depth + 5)
        case .sql(let text, let depth):
            return .sql("\(prefix) (\(source) WHERE \(text))", depth: max(depth, list.depth) + 4)
        }
    }
}
