import Cabinet

/// Operands: fields, constants, and what is made of them.
extension FilterTranslator {
    /// Translates an operand.
    ///
    /// - Parameter folding: The options under which text is compared.
    mutating func operand(_ expression: Filter.Expression, folding: Filter.Options = []) -> SQLOperand {
        switch expression {
        case .constant(nil): return .null
        case .constant(.list(let list)?): return .list(list.elements.map { .constant($0) })
        case .constant(.string(let text)?): return .value(.string(folding.folded(text)))
        case .constant(let value?): return .value(value)
        case .list(let elements): return .list(elements)
        case .field(let key):
            switch terms.meaning(of: key) {
            case .nothing: return .null
            case .unknown: return .unknown
            case .term(let term): return .term(folded(term, folding))
            }
        case .element(let list, let index): return element(of: list, index, folding)
        case .arithmetic(let left, let operation, let right): return arithmetic(left, operation, right)
        case .negative(let operand): return negative(operand)
        case .distance(let left, let right): return distance(left, right)
        case .member, .searchableText, .variable: return .unknown
        // Validation has refused it.
        case .unstorable: return .unknown
        }
    }

    /// A term whose text is folded.
    func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm {
        guard !options.isEmpty, term.kind == .text else { return term }
        return SQLTerm(
            text: "cabinet_fold(\(term.text), \(options.rawValue))", type: term.type, depth: term.depth + 1)
    }

    private mutating func element(
        of list: Filter.Expression, _ index: Filter.Index, _ folding: Filter.Options
    ) -> SQLOperand {
        guard case .term(let list) = operand(list), list.type.isList else { return .unknown }
        let position: Int64
        switch index {
        case .size: return .term(RowTerms.count(of: list))
        case .first: position = 0
        case .last: position = -1
        case .at(.constant(.int64(let number)?)):
            if number < 0 { return .null }
            position = number
        case .at: return .unknown
        }
        guard ComparisonKind(list.type.scalar) != nil else { return .unknown }
        let text =
            "cabinet_element(\(list.text), \(builder.parameter(.text(list.type.scalar.rawValue))), "
            + "\(builder.parameter(.integer(position))))"
        let term = SQLTerm(
            text: text, type: FieldType(list.type.scalar), targetZone: list.targetZone, depth: list.depth + 1)
        return .term(folded(term, folding))
    }

    // MARK: Numbers

    private mutating func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression
    ) -> SQLOperand {
        guard let left = number(left), let right = number(right) else { return .unknown }
        guard case .term(let left) = left, case .term(let right) = right else { return .null }
        let text =
            switch operation {
            case .plus: "(\(left.text) + \(right.text))"
            case .minus: "(\(left.text) - \(right.text))"
            case .times: "(\(left.text) * \(right.text))"
            // SQL's own division cuts whole numbers off.
            case .dividedBy: "cabinet_divide(\(left.text), \(right.text))"
            case .toThePower: "cabinet_power(\(left.text), \(right.text))"
            }
        // What stands behind a comma costs SQLite's parser more than what stands before it.
        return .term(SQLTerm(text: text, type: .double, depth: max(left.depth + 1, right.depth + 2)))
    }

    private mutating func negative(_ operand: Filter.Expression) -> SQLOperand {
        guard let operand = number(operand) else { return .unknown }
        guard case .term(let term) = operand else { return .null }
        // A minus sign would make a zero of a negative zero.
        return .term(SQLTerm(text: "(\(term.text) * -1)", type: .double, depth: term.depth + 1))
    }

    /// An operand of arithmetic: a term, or null; `nil` if it is no number.
    private mutating func number(_ expression: Filter.Expression) -> SQLOperand? {
        switch operand(expression) {
        case .null: .null
        case .value(let value):
            ComparisonKind(value.fieldType.scalar) == .number && !value.fieldType.isList
                ? parameter(value).map { .term(SQLTerm(text: $0, type: value.fieldType)) } : nil
        case .term(let term): term.kind == .number ? .term(term) : nil
        case .list, .unknown: nil
        }
    }

    // MARK: Places

    private mutating func distance(_ left: Filter.Expression, _ right: Filter.Expression) -> SQLOperand {
        var left = operand(left)
        var right = operand(right)
        if case .null = left { return .null }
        if case .null = right { return .null }
        if case .value = left { swap(&left, &right) }
        guard case .term(let place) = left, place.type == .location else { return .unknown }
        switch right {
        case .value(.location(let origin)):
            return .term(Self.distance(from: place, to: origin, &builder))
        case .term(let other) where other.type == .location:
            let depth = max(place.depth + 1, other.depth + 2)
            return .term(SQLTerm(text: "cabinet_distance(\(place.text), \(other.text))", type: .double, depth: depth))
        default: return .unknown
        }
    }

    /// The distance between the places in a field and another place.
    static func distance(from place: SQLTerm, to origin: Location, _ builder: inout SQLBuilder) -> SQLTerm {
        let latitude = builder.parameter(.real(origin.latitude))
        let longitude = builder.parameter(.real(origin.longitude))
        return SQLTerm(
            text: "cabinet_distance(\(place.text), \(latitude), \(longitude))", type: .double, depth: place.depth + 1)
    }
}
