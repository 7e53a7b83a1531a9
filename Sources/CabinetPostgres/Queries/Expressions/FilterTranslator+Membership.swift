import Cabinet

/// What is in lists, and in texts.
extension FilterTranslator {
    /// Whether an operand is an element of another, or occurs in its text.
    mutating func element(_ element: SQLOperand, of whole: SQLOperand, _ options: Filter.Options) -> SQLTest? {
        switch (element, whole) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .list(let elements)): return membership(of: term, in: elements, options)
        case (_, .term(let list)) where list.type.isList: return isElement(element, of: list, options)
        case (.value(.string(let part)), .term(let term)) where term.kind == .text:
            let stored = StoredText.encoded(part)
            // SQL finds the empty text everywhere.
            if part.isEmpty { return .never }
            guard StoredText.isFoundAnywhere(stored), !Self.isLong(part) else { return nil }
            return term.test("strpos(\(term.text), \(builder.parameter(.text(stored)))) > 0")
        case (.term(let term), .value(.string(let text))) where term.kind == .text:
            if Self.isLong(text) { return nil }
            let parameter = builder.parameter(.text(StoredText.encoded(text)))
            var found = term.test("strpos(\(parameter), \(term.text)) > 0 AND \(term.text) <> ''")
            found.unsure.append(Self.isHalf(term.text))
            return found
        case (.term(let part), .term(let text)) where part.kind == .text && text.kind == .text:
            var found = test(part, text, "strpos(\(text.text), \(part.text)) > 0 AND \(part.text) <> ''")
            found.unsure += [Self.isHalf(part.text), "octet_length(\(part.text)) > \(Self.longLength)"]
            return found
        default: return nil
        }
    }

    private static let longLength = 256

    /// Whether a text is too long to look for with SQL's functions, which take the product of both lengths at worst.
    static func isLong(_ part: String) -> Bool { part.utf8.count > longLength }

    /// The condition that a text may be found where only the second half of a stored character is, see ``StoredText``.
    static func isHalf(_ text: String) -> String { "ascii(\(text)) IN (2, 3)" }

    /// Whether a term is one of a list's elements, which need not be constants.
    private mutating func membership(
        of term: SQLTerm, in elements: [Filter.Expression], _ options: Filter.Options
    ) -> SQLTest? {
        guard let kind = term.kind, term.precision != .distance else { return nil }
        var values: [FieldValue] = []
        var references: [RecordID] = []
        var others: [SQLTest] = []
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
                guard let isSame = equal(.term(term), .term(other)) else { return nil }
                others.append(.all([isSame, term.test("\(term.text) IS NOT NULL")]))
            case .list, .unknown: return nil
            }
        }
        let isConstant = kind == .reference ? membership(of: term, in: references) : membership(of: term, in: values)
        return isConstant.map { .any([$0] + others) }
    }

    /// Whether a term refers to one of some records.
    private mutating func membership(of term: SQLTerm, in references: [RecordID]) -> SQLTest? {
        let names = Dictionary(grouping: references, by: \.zoneID).sorted { ZoneTable.precedes($0.key, $1.key) }
        var tests: [SQLTest] = []
        for (zoneID, ids) in names {
            guard let inZone = condition(term, pointsInto: zoneID) else { continue }
            let names = builder.parameter(.texts(ids.map { StoredText.encoded($0.recordName) }))
            tests.append(.all([SQLTest(inZone), term.test("\(term.text) = ANY(\(names))")]))
        }
        return .any(tests)
    }

    /// All values are one parameter, so that lists of any length share a statement.
    private mutating func membership(of term: SQLTerm, in values: [FieldValue]) -> SQLTest? {
        var stored: [SQLValue] = []
        for value in values {
            let found: SQLValue? =
                term.kind == .number ? NumberComparison.equal(value, in: term.type.scalar) : value.sqlValue
            // No field holds what cannot be stored.
            if let found { stored.append(found) }
        }
        if stored.isEmpty { return term.fails }
        guard let array = SQLValue.array(stored) else { return nil }
        let isWhole = term.key.map { key in stored.allSatisfy(key.isWhole) } ?? false
        let column = isWhole ? term.key?.text ?? term.text : term.text
        return term.test("\(column) = ANY(\(builder.parameter(array)))")
    }

    // MARK: List fields

    private mutating func isElement(_ element: SQLOperand, of list: SQLTerm, _ options: Filter.Options) -> SQLTest? {
        switch element {
        case .value(let value) where value.fieldType.isList: return nil
        case .list, .unknown: return nil
        default: break
        }
        return elements(of: list, .any, folding: options) { translator, term in
            // Elements are not nil, but what they are compared with may be.
            translator.equal(.term(term), element)
        }
    }

    /// A comparison of the elements of a list, each of which is a term.
    mutating func elements(
        of list: SQLTerm, _ quantifier: Filter.Quantifier, folding: Filter.Options,
        _ comparison: (inout Self, SQLTerm) -> SQLTest?
    ) -> SQLTest? {
        guard ComparisonKind(list.type.scalar) != nil else { return nil }
        // A list within a condition on a list's elements needs a name of its own.
        let alias = "\"e\(listLevel)\""
        listLevel += 1
        defer { listLevel -= 1 }
        let plain = SQLTerm(
            text: "\(alias).\"value\"", type: FieldType(list.type.scalar), targetZone: list.targetZone)
        guard let test = comparison(&self, folded(plain, folding)) else { return nil }
        let source = "SELECT 1 FROM unnest(\(list.text)) AS \(alias)(\"value\")"
        let isDenied = quantifier == .all || quantifier == .none
        let condition: SQLCondition
        switch quantifier == .all ? test.condition.negated : test.condition {
        case .never: condition = isDenied ? .always : .never
        case .always: condition = .sql("\(isDenied ? "NOT " : "")EXISTS (\(source))")
        case .sql(let text): condition = .sql("\(isDenied ? "NOT " : "")EXISTS (\(source) WHERE \(text))")
        }
        var unsure = list.unsure
        if !test.unsure.isEmpty {
            let cases = test.unsure.map { "WHEN \($0) THEN TRUE" }.joined(separator: " ")
            unsure.append("EXISTS (\(source) WHERE CASE \(cases) ELSE FALSE END)")
        }
        return SQLTest(condition, unsure: unsure)
    }

    /// Translates a comparison of the elements of a list.
    mutating func quantified(_ comparison: Filter.Comparison) -> SQLTest? {
        guard case .term(let list) = operand(comparison.left), list.type.isList else { return nil }
        let isFolded = ![.matches, .tokenMatches].contains(comparison.operator)
        let folding = isFolded ? comparison.options : []
        let right = operand(comparison.right, folding: folding)
        return elements(of: list, comparison.quantifier, folding: folding) { translator, term in
            translator.comparison(.term(term), comparison.operator, right, comparison.options)
        }
    }
}
