import Cabinet
import Foundation

/// The operators. Each returns `nil` where only the evaluator knows the answer.
extension FilterTranslator {
    // MARK: Equality

    mutating func equal(_ left: SQLOperand, _ right: SQLOperand) throws -> SQLCondition? {
        switch (left, right) {
        case (.null, .null): .always
        case (.null, .value), (.value, .null), (.null, .list), (.list, .null): .never
        case (.null, .column(let column)), (.column(let column), .null): .sql("\(column.name) IS NULL")
        case (.column(let column), .value(let value)), (.value(let value), .column(let column)):
            try equal(column, value)
        case (.column(let left), .column(let right)): equal(left, right)
        default: nil
        }
    }

    private mutating func equal(_ column: SQLColumn, _ value: FieldValue) throws -> SQLCondition? {
        guard let kind = column.kind, let valueKind = ComparisonKind(value.fieldType.scalar), !value.fieldType.isList
        else {
            return nil
        }
        guard kind == valueKind else { return .never }
        if case .reference(let reference) = value { return try equal(column, reference.recordID) }
        return parameter(value).map { .sql("\(column.name) = \($0)") }
    }

    private mutating func equal(_ column: SQLColumn, _ target: RecordID) throws -> SQLCondition {
        guard let inZone = try condition(column, pointsInto: target.zoneID) else { return .never }
        return .all([.sql("\(column.name) = \(builder.parameter(.text(target.recordName)))"), inZone])
    }

    private func equal(_ left: SQLColumn, _ right: SQLColumn) -> SQLCondition? {
        guard let kind = left.kind, let otherKind = right.kind else { return nil }
        guard kind == otherKind else { return .sql("\(left.name) IS NULL AND \(right.name) IS NULL") }
        let isSame = SQLCondition.sql("\(left.name) IS \(right.name)")
        guard kind == .reference, left.targetZone != right.targetZone else { return isSame }
        switch scope {
        case .one(let zoneID, _, _): return zoneID == .default ? isSame : .never
        case .several: return .all([isSame, .sql("\"___zone\" = \(Layout.defaultZone)")])
        }
    }

    /// The condition that a column's references point into a zone; `nil` if none does.
    private mutating func condition(_ column: SQLColumn, pointsInto zoneID: RecordZone.ID) throws -> SQLCondition? {
        if column.targetZone == .default { return zoneID == .default ? .always : nil }
        switch scope {
        case .one(let only, _, _): return only == zoneID ? .always : nil
        case .several:
            // The ID's index begins with the zone; for other references the sign keeps SQLite from using that.
            return try connection.number(of: zoneID).map {
                .sql("\(column.isID ? "" : "+")\"___zone\" = \(builder.parameter(.integer($0)))")
            }
        }
    }

    // MARK: Order

    mutating func ordered(_ left: SQLOperand, _ sign: String, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.column(let column), .value(let value)):
            return orderedPair(column.kind, value).flatMap { isOrdered in
                isOrdered ? parameter(value).map { .sql("\(column.name) \(sign) \($0)") } : .never
            }
        case (.value(let value), .column(let column)):
            return orderedPair(column.kind, value).flatMap { isOrdered in
                isOrdered ? parameter(value).map { .sql("\($0) \(sign) \(column.name)") } : .never
            }
        case (.column(let left), .column(let right)):
            guard let kind = left.kind, let otherKind = right.kind else { return nil }
            return kind == otherKind && kind.hasOrder ? .sql("\(left.name) \(sign) \(right.name)") : .never
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

    mutating func between(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        if case .null = right { return .never }
        guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
        let lower = SQLOperand(bounds[0], table: table, fields: fields)
        let upper = SQLOperand(bounds[1], table: table, fields: fields)
        guard let fromLower = ordered(left, ">=", lower), let fromUpper = ordered(left, "<=", upper) else { return nil }
        return .all([fromLower, fromUpper])
    }

    // MARK: Lists and text

    /// Whether an operand is an element of another, or occurs in its text.
    mutating func element(_ element: SQLOperand, of whole: SQLOperand) throws -> SQLCondition? {
        switch (element, whole) {
        case (.null, _), (_, .null): return .never
        case (.column(let column), .list(let elements)): return try membership(of: column, in: elements)
        case (.value(.string(let part)), .column(let column)) where column.kind == .text:
            // SQL's `instr` compares bytes by length; NUL is a byte like others. It finds the empty text everywhere.
            return part.isEmpty ? .never : .sql("instr(\(column.name), \(builder.parameter(.text(part)))) > 0")
        case (.column(let column), .value(.string(let text))) where column.kind == .text:
            return .sql("instr(\(builder.parameter(.text(text))), \(column.name)) > 0 AND \(column.name) <> ''")
        case (.column(let part), .column(let whole)) where part.kind == .text && whole.kind == .text:
            return .sql("instr(\(whole.name), \(part.name)) > 0 AND \(part.name) <> ''")
        default: return nil
        }
    }

    private mutating func membership(of column: SQLColumn, in elements: [Filter.Expression]) throws -> SQLCondition? {
        guard let kind = column.kind, elements.count <= SQLBuilder.maximumParameters else { return nil }
        var values: [FieldValue] = []
        var names: [RecordZone.ID: [FieldValue]] = [:]
        for element in elements {
            guard case .constant(let value) = element else { return nil }
            // A nil field is in no list, so a nil element is nobody's match.
            guard let value else { continue }
            guard !value.fieldType.isList, let valueKind = ComparisonKind(value.fieldType.scalar) else { return nil }
            guard kind == valueKind else { continue }
            if case .reference(let reference) = value {
                names[reference.recordID.zoneID, default: []].append(.string(reference.recordID.recordName))
            } else {
                values.append(value)
            }
        }
        guard kind == .reference else { return membership(of: column, in: values) }
        var conditions: [SQLCondition] = []
        for (zoneID, names) in names {
            guard let inZone = try condition(column, pointsInto: zoneID) else { continue }
            guard let isMember = membership(of: column, in: names) else { return nil }
            conditions.append(.all([isMember, inZone]))
        }
        return .any(conditions)
    }

    private mutating func membership(of column: SQLColumn, in values: [FieldValue]) -> SQLCondition? {
        guard let last = values.last else { return .never }
        // The last value fills the list up to a power of two, so that lists of any length share a few statements.
        var count = 1
        while count < values.count { count *= 2 }
        var parameters: [String] = []
        for value in values + repeatElement(last, count: count - values.count) {
            guard let parameter = parameter(value) else { return nil }
            parameters.append(parameter)
        }
        return .sql("\(column.name) IN (\(parameters.joined(separator: ", ")))")
    }

    mutating func beginning(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.column(let column), .value(.string(let prefix))) where column.kind == .text:
            if prefix.isEmpty { return .never }
            let lower = SQLCondition.sql("\(column.name) >= \(builder.parameter(.text(prefix)))")
            guard let bound = Self.upperBound(ofPrefix: prefix) else { return lower }
            return .all([lower, .sql("\(column.name) < \(builder.parameter(.text(bound)))")])
        default: return nil
        }
    }

    /// The first text, in the order of scalars, that comes after all that begin with a prefix; `nil` if none does.
    static func upperBound(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no scalars: the next one after U+D7FF is U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var bound = String.UnicodeScalarView()
            bound.append(contentsOf: scalars)
            return String(bound)
        }
        return nil
    }

    /// A parameter for a value that SQL compares as the filter language does; `nil` for other values.
    private mutating func parameter(_ value: FieldValue) -> String? {
        switch value {
        case .string(let text): builder.parameter(.text(text))
        case .int64(let number): builder.parameter(.integer(number))
        case .double(let number): builder.parameter(.real(number))
        case .timestamp(let date): builder.parameter(.real(date.timeIntervalSinceReferenceDate))
        case .bytes(let data): builder.parameter(.blob(data))
        case .reference, .location, .asset, .list: nil
        }
    }
}
