import Cabinet
import Foundation

/// Equality and order. Each function returns `nil` where only the evaluator knows the answer.
extension FilterTranslator {
    // MARK: Equality

    mutating func equal(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, .null): .always
        case (.null, .value), (.value, .null), (.null, .list), (.list, .null): .never
        case (.null, .term(let term)), (.term(let term), .null): term.test("\(term.key?.text ?? term.text) IS NULL")
        case (.term(let term), .value(let value)), (.value(let value), .term(let term)): equal(term, value)
        case (.term(let left), .term(let right)): equal(left, right)
        case (.term(let term), .list(let elements)), (.list(let elements), .term(let term)): equal(term, elements)
        default: nil
        }
    }

    mutating func equal(_ term: SQLTerm, _ value: FieldValue) -> SQLTest? {
        guard let kind = term.kind, let valueKind = ComparisonKind(value.fieldType.scalar), !value.fieldType.isList,
            term.precision != .distance
        else { return nil }
        guard kind == valueKind else { return .never }
        switch value {
        case .reference(let reference): return equal(term, reference.recordID)
        case .int64, .double:
            guard let number = NumberComparison.equal(value, in: term.type.scalar) else { return term.fails }
            return term.test("\(term.text) = \(builder.parameter(number))")
        default:
            guard !value.isNoDate, let stored = value.sqlValue else { return .never }
            return equal(term, stored)
        }
    }

    /// A column's beginning, which an index may have, says it all about a short value.
    private mutating func equal(_ term: SQLTerm, _ value: SQLValue) -> SQLTest {
        let parameter = builder.parameter(value)
        guard let key = term.key else { return term.test("\(term.text) = \(parameter)") }
        if key.isWhole(value) { return term.test("\(key.text) = \(parameter)") }
        return term.test(
            "\(key.text) = \(TableIndexes.key(of: parameter, type: term.type)) AND \(term.text) = \(parameter)")
    }

    private mutating func equal(_ term: SQLTerm, _ target: RecordID) -> SQLTest {
        guard let inZone = condition(term, pointsInto: target.zoneID) else { return .never }
        let name = builder.parameter(.text(StoredText.encoded(target.recordName)))
        return .all([SQLTest(inZone), term.test("\(term.text) = \(name)")])
    }

    private func equal(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest? {
        if left.type.isList || right.type.isList { return equalLists(left, right) }
        guard let kind = left.kind, let otherKind = right.kind, left.precision != .distance,
            right.precision != .distance
        else { return nil }
        let areNull = test(left, right, "\(left.text) IS NULL AND \(right.text) IS NULL")
        guard kind == otherKind else { return areNull }
        if kind == .number, left.type != right.type { return equalNumbers(left, right) }
        let isSame = test(left, right, "\(left.text) IS NOT DISTINCT FROM \(right.text)")
        guard kind == .reference, left.targetZone != right.targetZone else { return isSame }
        switch scope {
        case .one(let zoneID, _): return zoneID == .default ? isSame : areNull
        case .several, .many:
            return .any([
                .all([isSame, SQLTest(.sql("\(terms.name).\"___zone\" = \(Layout.defaultZone)"))]), areNull,
            ])
        }
    }

    /// Arrays of one type are equal in SQL when lists are; of two types only empty lists are equal.
    private func equalLists(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest? {
        let comparable: Set<FieldType.Scalar> = [.string, .int64, .double, .timestamp, .bytes]
        guard left.type == right.type, comparable.contains(left.type.scalar) else { return nil }
        return test(left, right, "\(left.text) IS NOT DISTINCT FROM \(right.text)")
    }

    /// Whether a list is the one that is written down.
    private mutating func equal(_ list: SQLTerm, _ elements: [Filter.Expression]) -> SQLTest? {
        guard list.type.isList, list.unsure.isEmpty else { return nil }
        if elements.isEmpty { return list.test("cardinality(\(list.text)) = 0") }
        var values: [SQLValue] = []
        for element in elements {
            guard case .constant(let value?) = element else { return nil }
            switch (list.type.scalar, value) {
            case (.string, .string), (.bytes, .bytes), (.timestamp, .timestamp):
                guard !value.isNoDate, let stored = value.sqlValue else { return .never }
                values.append(stored)
            case (.int64, .int64), (.int64, .double), (.double, .int64), (.double, .double):
                guard let number = NumberComparison.equal(value, in: list.type.scalar) else { return .never }
                values.append(number)
            default: return nil
            }
        }
        return SQLValue.array(values).map { list.test("\(list.text) = \(builder.parameter($0))") }
    }

    /// A whole number beside a DOUBLE.
    ///
    /// As DOUBLE both are equal if they are equal, and maybe also if they are not.
    private func equalNumbers(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest {
        let (whole, other) = left.type == .int64 ? (left, right) : (right, left)
        return test(
            left, right,
            "CASE WHEN \(whole.text) IS NULL OR \(other.text) IS NULL THEN \(whole.text) IS NULL AND \(other.text) IS NULL "
                + "WHEN \(Self.fraction(whole)) <> \(other.text) OR \(other.text) >= 9223372036854775808 THEN FALSE "
                + "ELSE \(whole.text) = CAST(\(other.text) AS bigint) END")
    }

    /// The condition that a term's references point into a zone; `nil` if none does.
    func condition(_ term: SQLTerm, pointsInto zoneID: RecordZone.ID) -> SQLCondition? {
        if term.targetZone == .default { return zoneID == .default ? .always : nil }
        switch scope {
        case .one(let only, _): return only == zoneID ? .always : nil
        case .several, .many: return zones[zoneID].map { .sql("\(terms.name).\"___zone\" = \($0)") }
        }
    }

    // MARK: Order

    mutating func ordered(_ left: SQLOperand, _ sign: OrderSign, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): .never
        case (.term(let term), .value(let value)): ordered(term, sign, value)
        case (.value(let value), .term(let term)): ordered(term, sign.mirrored, value)
        case (.term(let left), .term(let right)): ordered(left, sign, right)
        default: nil
        }
    }

    private mutating func ordered(_ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue) -> SQLTest? {
        guard let kind = term.kind, !value.fieldType.isList, let valueKind = ComparisonKind(value.fieldType.scalar)
        else { return nil }
        guard kind == valueKind, kind.hasOrder, !value.isNoDate else { return .never }
        if kind == .number {
            switch NumberComparison(sign, value, in: term.type.scalar) {
            case .never: return term.fails
            case .always: return term.test("\(term.text) IS NOT NULL")
            case .ordered(let sign, let number):
                let parameter = builder.parameter(number)
                var test = term.test("\(term.text) \(sign.rawValue) \(parameter)")
                if term.precision == .distance {
                    test.unsure.append("abs(\(term.text) - \(parameter)) <= \(Self.distanceError)")
                }
                return test
            }
        }
        guard let stored = value.sqlValue else { return nil }
        let parameter = builder.parameter(stored)
        guard let key = term.key else { return term.test("\(term.text) \(sign.rawValue) \(parameter)") }
        if key.isWhole(stored) { return term.test("\(key.text) \(sign.rawValue) \(parameter)") }
        return term.test(
            "\(key.text) \(sign.orEqual.rawValue) \(TableIndexes.key(of: parameter, type: term.type)) "
                + "AND \(term.text) \(sign.rawValue) \(parameter)")
    }

    private func ordered(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest? {
        guard let kind = left.kind, let otherKind = right.kind else { return nil }
        guard kind == otherKind && kind.hasOrder else { return .never }
        if left.precision == .distance || right.precision == .distance {
            // Beside what is computed in two ways, whole numbers need no more digits than a DOUBLE has.
            let (a, b) = (Self.fraction(left), Self.fraction(right))
            var found = test(left, right, "\(a) \(sign.rawValue) \(b)")
            found.unsure.append("abs(\(b)) > 1e12 OR abs(\(a)) > 1e12 OR abs(\(a) - \(b)) <= \(2 * Self.distanceError)")
            return found
        }
        if left.type != right.type, kind == .number { return orderedNumbers(left, sign, right) }
        return test(left, right, "\(left.text) \(sign.rawValue) \(right.text)")
    }

    private func orderedNumbers(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest {
        let (whole, other, sign) =
            left.type == .int64 ? (left, right, sign) : (right, left, sign.mirrored)
        // Rounding to DOUBLE keeps the order, but for numbers that become equal.
        return test(
            left, right,
            "CASE WHEN \(whole.text) IS NULL OR \(other.text) IS NULL THEN FALSE "
                + "WHEN \(Self.fraction(whole)) <> \(other.text) "
                + "THEN \(Self.fraction(whole)) \(sign.rawValue) \(other.text) "
                + "WHEN \(other.text) >= 9223372036854775808 THEN \(sign.isUpwards ? "FALSE" : "TRUE") "
                + "ELSE \(whole.text) \(sign.rawValue) CAST(\(other.text) AS bigint) END")
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
}

extension FieldValue {
    /// Whether this is a date that stands nowhere.
    fileprivate var isNoDate: Bool {
        if case .timestamp(let date) = self { date.timeIntervalSinceReferenceDate.isNaN } else { false }
    }
}
