package import Cabinet

/// Equality and order. Each function returns `nil` if only the evaluator can compute the comparison.
extension FilterTranslator {
    // MARK: Equality

    package mutating func equal(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, .null): .always
        case (.null, .value), (.value, .null), (.null, .list), (.list, .null): .never
        case (.null, .term(let term)), (.term(let term), .null): term.test("\(term.key?.text ?? term.text) IS NULL")
        case (.term(let term), .value(let value)), (.value(let value), .term(let term)): equal(term, value)
        case (.term(let left), .term(let right)): equal(left, right)
        case (.term(let term), .list(let elements)), (.list(let elements), .term(let term)):
            Dialect.equal(term, elements, &self)
        default: nil
        }
    }

    private mutating func equal(_ term: SQLTerm, _ value: FieldValue) -> SQLTest? {
        guard let kind = term.kind, let valueKind = value.comparisonKind, term.precision != .distance else {
            return nil
        }
        guard kind == valueKind else { return .never }
        guard case .reference(let reference) = value else { return Dialect.equal(term, value, &self) }
        return isMember(term, ofReferences: [reference.recordID])
    }

    private func equal(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest? {
        if left.type.isList || right.type.isList { return Dialect.equalLists(left, right) }
        guard let kind = left.kind, let otherKind = right.kind, left.precision != .distance,
            right.precision != .distance
        else { return nil }
        let areNull = left.test(with: right, "\(left.text) IS NULL AND \(right.text) IS NULL")
        guard kind == otherKind else { return areNull }
        if kind == .number, left.type != right.type { return Dialect.equalNumbers(left, right) }
        let isSame = left.test(with: right, "\(left.text) \(Dialect.isSame) \(right.text)")
        guard kind == .reference, left.targetZone != right.targetZone else { return isSame }
        switch scope {
        case .one(let zoneID, _, _): return zoneID == .default ? isSame : areNull
        case .several, .many:
            let isInDefaultZone = SQLCondition.sql("\(terms.name).\"___zone\" = \(ZoneTable.defaultZone)")
            return .any([.all([isSame, SQLTest(isInDefaultZone)]), areNull])
        }
    }

    /// Returns the condition that a term's references point to a zone; `nil` if none can.
    private mutating func condition(_ term: SQLTerm, pointsInto zoneID: RecordZone.ID) -> SQLCondition? {
        if term.targetZone == .default { return zoneID == .default ? .always : nil }
        switch scope {
        case .one(let only, _, _): return only == zoneID ? .always : nil
        case .several, .many: return zones[zoneID].map { Dialect.isInZone($0, &self) }
        }
    }

    // MARK: Order

    package mutating func ordered(_ left: SQLOperand, _ sign: OrderSign, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(let value)): return ordered(term, sign, value)
        case (.value(let value), .term(let term)): return ordered(term, sign.mirrored, value)
        case (.term(let left), .term(let right)):
            guard let kind = left.kind, let otherKind = right.kind else { return nil }
            return kind == otherKind && kind.hasOrder ? Dialect.ordered(left, sign, right) : .never
        default: return nil
        }
    }

    private mutating func ordered(_ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue) -> SQLTest? {
        guard let kind = term.kind, let valueKind = value.comparisonKind else { return nil }
        return kind == valueKind && kind.hasOrder ? Dialect.ordered(term, sign, value, &self) : .never
    }

    mutating func between(_ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options) -> SQLTest? {
        if case .null = right { return .never }
        guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
        let lower = operand(bounds[0], folding: options)
        let upper = operand(bounds[1], folding: options)
        guard let fromLower = ordered(left, .greaterOrEqual, lower), let toUpper = ordered(left, .lessOrEqual, upper)
        else { return nil }
        return .all([fromLower, toUpper])
    }

    // MARK: Membership

    /// Translates the test that an operand is an element of a list, or occurs in a text.
    mutating func element(_ element: SQLOperand, of whole: SQLOperand, _ options: Filter.Options) -> SQLTest? {
        switch (element, whole) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .list(let elements)): return isMember(term, of: elements, options)
        case (_, .term(let list)) where list.type.isList:
            switch element {
            case .value(let value) where value.fieldType.isList: return nil
            case .list, .unknown: return nil
            default: return quantified(list, .any, .equal, element, options, folding: options)
            }
        default: return Dialect.contains(element, in: whole, &self)
        }
    }

    /// Translates the test that a term is an element of a list, which need not be constant.
    private mutating func isMember(
        _ term: SQLTerm, of elements: [Filter.Expression], _ options: Filter.Options
    ) -> SQLTest? {
        guard let kind = term.kind, term.precision != .distance else { return nil }
        var values: [FieldValue] = []
        var references: [RecordID] = []
        var others: [SQLTest] = []
        for element in elements {
            switch operand(element, folding: options) {
            // A nil field is not an element of any list, so a nil element matches nothing.
            case .null: continue
            case .value(let value):
                guard let valueKind = value.comparisonKind else { return nil }
                guard kind == valueKind else { continue }
                if case .reference(let reference) = value {
                    references.append(reference.recordID)
                } else {
                    values.append(value)
                }
            case .term(let other):
                guard let isSame = equal(term, other) else { return nil }
                others.append(.all([isSame, term.test("\(term.text) IS NOT NULL")]))
            case .list, .unknown: return nil
            }
        }
        let isConstant: SQLTest? =
            if kind == .reference {
                isMember(term, ofReferences: references)
            } else {
                values.isEmpty ? term.fails : Dialect.isMember(term, of: values, &self)
            }
        return isConstant.map { .any([$0] + others) }
    }

    /// Translates the test that a term refers to one of several records.
    package mutating func isMember(_ term: SQLTerm, ofReferences ids: [RecordID]) -> SQLTest? {
        let idsByZone = Dictionary(grouping: ids, by: \.zoneID).sorted { ZoneTable.precedes($0.key, $1.key) }
        var tests: [SQLTest] = []
        for (zoneID, ids) in idsByZone {
            guard let inZone = condition(term, pointsInto: zoneID) else { continue }
            let names = ids.map { FieldValue.string($0.recordName) }
            let isNamed =
                if term.isID, let zone = zones[zoneID] {
                    Dialect.isRecord(term, named: names, inZone: zone, &self)
                } else {
                    Dialect.equalsOne(of: names, term, &self)
                }
            guard let isNamed else { return nil }
            tests.append(.all([SQLTest(inZone), isNamed]))
        }
        return .any(tests)
    }

    /// Compares the elements of a list.
    mutating func quantified(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: SQLOperand,
        _ options: Filter.Options, folding: Filter.Options
    ) -> SQLTest? {
        if let test = Dialect.quantified(list, quantifier, `operator`, right, options, &self) { return test }
        return withElementName { translator, name in
            guard ComparisonKind(list.type.scalar) != nil, let rows = Dialect.elements(of: list, named: name),
                let test = translator.comparison(
                    .term(Self.folded(rows.element, folding)), `operator`, right, options)
            else { return nil }
            let source = "SELECT 1 FROM \(rows.source)"
            let isDenied = quantifier == .all || quantifier == .none
            let exists = isDenied ? "NOT EXISTS" : "EXISTS"
            var found: SQLTest
            switch quantifier == .all ? test.condition.negated : test.condition {
            case .never: found = isDenied ? .always : .never
            case .always: found = SQLTest(.sql("\(exists) (\(source))", depth: list.depth + 5))
            case .sql(let text, let depth):
                found = SQLTest(.sql("\(exists) (\(source) WHERE \(text))", depth: max(depth, list.depth) + 4))
            }
            found.inexactCases = list.inexactCases
            if !test.inexactCases.isEmpty {
                let cases = test.inexactCases.map { "WHEN \($0) THEN TRUE" }.joined(separator: " ")
                found.inexactCases.append("EXISTS (\(source) WHERE CASE \(cases) ELSE FALSE END)")
            }
            return found
        }
    }
}

extension FieldValue {
    /// The kind of a single value; `nil` for lists, and for values that SQL does not compare.
    package var comparisonKind: ComparisonKind? {
        fieldType.isList ? nil : ComparisonKind(fieldType.scalar)
    }
}
