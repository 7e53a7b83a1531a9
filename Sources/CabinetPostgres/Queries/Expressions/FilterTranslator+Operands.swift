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
        // Validation has refused what is unstorable.
        case .member, .searchableText, .variable, .unstorable: return .unknown
        }
    }

    /// A term whose text is folded, if it is ASCII: what Unicode says of other letters PostgreSQL does not know.
    func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm {
        guard !options.isEmpty, term.kind == .text else { return term }
        // Of ASCII no accents can be dropped.
        let text = options.contains(.caseInsensitive) ? "lower(\(term.text) COLLATE \"C\")" : term.text
        return SQLTerm(text: text, type: term.type, unsure: term.unsure + [Self.isBeyondASCII(term.text)])
    }

    /// The condition that a text has other characters than those of ASCII.
    static func isBeyondASCII(_ text: String) -> String { "octet_length(\(text)) <> length(\(text))" }

    private mutating func element(
        of list: Filter.Expression, _ index: Filter.Index, _ folding: Filter.Options
    ) -> SQLOperand {
        guard case .term(let list) = operand(list), list.type.isList else { return .unknown }
        let position: String
        switch index {
        case .size: return .term(RowTerms.count(of: list))
        case .first: position = "1"
        case .last: position = "array_length(\(list.text), 1)"
        case .at(.constant(.int64(let number)?)):
            // The numbers of PostgreSQL's elements begin at 1, and have 32 bits.
            guard (0..<Int64(Int32.max)).contains(number) else { return .null }
            position = "\(number + 1)"
        case .at(let expression):
            guard case .term(let number) = operand(expression), number.type == .int64, number.unsure.isEmpty else {
                return .unknown
            }
            position =
                "CASE WHEN \(number.text) BETWEEN 0 AND 2147483646 THEN CAST(\(number.text) + 1 AS integer) END"
        }
        guard ComparisonKind(list.type.scalar) != nil else { return .unknown }
        let term = SQLTerm(
            text: "(\(list.text))[\(position)]", type: FieldType(list.type.scalar), targetZone: list.targetZone)
        guard term.text.utf8.count <= Self.maximumLength else { return .unknown }
        return .term(folded(term, folding))
    }

    // MARK: Places

    /// Distances in SQL and in Swift may differ by this many metres, because sines are rounded otherwise elsewhere.
    ///
    /// It is largest between opposite places, where the arc sine is steep.
    static let distanceError = 1.0

    private mutating func distance(_ left: Filter.Expression, _ right: Filter.Expression) -> SQLOperand {
        var left = operand(left)
        var right = operand(right)
        if case .null = left { return .null }
        if case .null = right { return .null }
        if case .value = left { swap(&left, &right) }
        guard case .term(let place) = left, place.type == .location else { return .unknown }
        switch right {
        case .value(.location(let origin)):
            return Self.distance(from: place, to: origin, &builder).map(SQLOperand.term) ?? .unknown
        case .term(let other) where other.type == .location:
            let term = Self.distance(
                from: place, to: ("(\(other.text))[1]", "(\(other.text))[2]"), isChecked: false)
            return term.text.utf8.count <= Self.maximumLength ? .term(term) : .unknown
        default: return .unknown
        }
    }

    /// The distance between the places in a field and another place; `nil` if that one is not on Earth.
    static func distance(from place: SQLTerm, to origin: Location, _ builder: inout SQLBuilder) -> SQLTerm? {
        guard (-90...90).contains(origin.latitude), (-180...180).contains(origin.longitude) else { return nil }
        let latitude = builder.parameter(.double(origin.latitude))
        let longitude = builder.parameter(.double(origin.longitude))
        return distance(from: place, to: (latitude, longitude), isChecked: true)
    }

    /// The distance as ``Location/distance(to:)`` computes it.
    ///
    /// - Parameter isChecked: Whether the other place is known to be on Earth.
    private static func distance(
        from place: SQLTerm, to other: (latitude: String, longitude: String), isChecked: Bool
    ) -> SQLTerm {
        let (latitude, longitude) = ("(\(place.text))[1]", "(\(place.text))[2]")
        // Sines of infinite numbers are errors in SQL.
        var unsure = ["\(latitude) NOT BETWEEN -90 AND 90 OR \(longitude) NOT BETWEEN -180 AND 180"]
        if !isChecked {
            unsure.append("\(other.latitude) NOT BETWEEN -90 AND 90 OR \(other.longitude) NOT BETWEEN -180 AND 180")
        }
        let haversine =
            "power(sin(radians((\(latitude) - \(other.latitude)) / 2)), 2) + cos(radians(\(latitude))) "
            + "* cos(radians(\(other.latitude))) * power(sin(radians((\(longitude) - \(other.longitude)) / 2)), 2)"
        // Of NULL and a number, `least` is the number.
        let text =
            "(CASE WHEN \(latitude) IS NOT NULL AND \(other.latitude) IS NOT NULL "
            + "THEN 12742017.6 * asin(sqrt(least(1, greatest(0, \(haversine))))) END)"
        return SQLTerm(text: text, type: .double, unsure: unsure, precision: .distance)
    }
}
