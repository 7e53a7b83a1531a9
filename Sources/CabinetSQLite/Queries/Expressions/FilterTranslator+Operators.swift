import Cabinet
import Foundation

/// Equality and order. Each function returns `nil` where only the evaluator knows the answer.
extension FilterTranslator {
    // MARK: Equality

    mutating func equal(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLCondition? {
        switch (left, right) {
        case (.null, .null): .always
        case (.null, .value), (.value, .null), (.null, .list), (.list, .null): .never
        case (.null, .term(let term)), (.term(let term), .null): term.condition("\(term.text) IS NULL")
        case (.term(let term), .value(let value)), (.value(let value), .term(let term)):
            try equal(term, value)
        case (.term(let left), .term(let right)): equal(left, right)
        default: nil
        }
    }

    mutating func equal(_ term: SQLTerm, _ value: FieldValue) throws -> SQLCondition? {
        guard let kind = term.kind, let valueKind = ComparisonKind(value.fieldType.scalar), !value.fieldType.isList
        else {
            return nil
        }
        guard kind == valueKind else { return .never }
        if case .reference(let reference) = value { return try equal(term, reference.recordID) }
        return parameter(value).map { term.condition("\(term.text) = \($0)") }
    }

    private mutating func equal(_ term: SQLTerm, _ target: RecordID) throws -> SQLCondition {
        guard let inZone = try condition(term, pointsInto: target.zoneID) else { return .never }
        return .all([term.condition("\(term.text) = \(builder.parameter(.text(target.recordName)))"), inZone])
    }

    private func equal(_ left: SQLTerm, _ right: SQLTerm) -> SQLCondition? {
        guard let kind = left.kind, let otherKind = right.kind else { return nil }
        let depth = max(left.depth, right.depth) + 1
        let areNull = SQLCondition.sql("\(left.text) IS NULL AND \(right.text) IS NULL", depth: depth)
        guard kind == otherKind else { return areNull }
        let isSame = SQLCondition.sql("\(left.text) IS \(right.text)", depth: depth)
        guard kind == .reference, left.targetZone != right.targetZone else { return isSame }
        switch scope {
        case .one(let zoneID, _, _): return zoneID == .default ? isSame : areNull
        case .several, .many:
            return .any([.all([isSame, .sql("\(terms.name).\"___zone\" = \(Layout.defaultZone)")]), areNull])
        }
    }

    /// The condition that a term's references point into a zone; `nil` if none does.
    mutating func condition(_ term: SQLTerm, pointsInto zoneID: RecordZone.ID) throws -> SQLCondition? {
        if term.targetZone == .default { return zoneID == .default ? .always : nil }
        switch scope {
        case .one(let only, _, _): return only == zoneID ? .always : nil
        case .several, .many:
            // The ID's index begins with the zone; for other references the sign keeps SQLite from using that.
            return try connection.number(of: zoneID).map {
                .sql("\(term.isID ? "" : "+")\(terms.name).\"___zone\" = \(builder.parameter(.integer($0)))")
            }
        }
    }

    // MARK: Order

    mutating func ordered(_ left: SQLOperand, _ sign: String, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(let value)):
            return orderedPair(term.kind, value).flatMap { isOrdered in
                isOrdered ? parameter(value).map { term.condition("\(term.text) \(sign) \($0)") } : .never
            }
        case (.value(let value), .term(let term)):
            return orderedPair(term.kind, value).flatMap { isOrdered in
                isOrdered ? parameter(value).map { term.condition("\($0) \(sign) \(term.text)") } : .never
            }
        case (.term(let left), .term(let right)):
            guard let kind = left.kind, let otherKind = right.kind else { return nil }
            guard kind == otherKind && kind.hasOrder else { return .never }
            return .sql("\(left.text) \(sign) \(right.text)", depth: max(left.depth, right.depth) + 1)
        default: return nil
        }
    }

    /// Whether values of a kind stand in an order with a value; `nil` if SQL does not know.
    private func orderedPair(_ kind: ComparisonKind?, _ value: FieldValue) -> Bool? {
        guard let kind, !value.fieldType.isList, let valueKind = ComparisonKind(value.fieldType.scalar) else {
            return nil
        }
        return kind == valueKind && kind.hasOrder
    }

    mutating func between(_ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options) -> SQLCondition? {
        if case .null = right { return .never }
        guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
        let lower = operand(bounds[0], folding: options)
        let upper = operand(bounds[1], folding: options)
        guard let fromLower = ordered(left, ">=", lower), let fromUpper = ordered(left, "<=", upper) else { return nil }
        return .all([fromLower, fromUpper])
    }
}

extension SQLTerm {
    /// A condition whose text has the term in it, besides what is not nested.
    func condition(_ text: String) -> SQLCondition {
        .sql(text, depth: depth + 1)
    }
}
