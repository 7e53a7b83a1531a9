/// The value of an operand for one record.
enum FilterValue: Sendable {
    /// The language's nil: no value, whether the field is absent or null.
    case nothing

    /// A value as a field holds it; maybe a list of one type.
    case single(FieldValue)

    /// A list of operands, which may be of several types.
    case list([FilterValue])

    init(_ value: FieldValue?) {
        self = value.map(FilterValue.single) ?? .nothing
    }

    /// The elements, if this is a list.
    var elements: [FilterValue]? {
        switch self {
        case .list(let elements): elements
        case .single(.list(let list)): list.elements.map(FilterValue.single)
        case .single, .nothing: nil
        }
    }

    /// The text, if this is one.
    var text: String? {
        if case .single(.string(let text)) = self { text } else { nil }
    }

    var isNothing: Bool {
        if case .nothing = self { true } else { false }
    }
}

extension FilterValue {
    /// Returns a Boolean value that indicates whether the language considers both values equal.
    ///
    /// Nil equals only nil.
    func isEqual(to other: FilterValue) -> Bool {
        switch (self, other) {
        case (.nothing, .nothing): return true
        case (.nothing, _), (_, .nothing): return false
        case (.single(let left), .single(let right)): return left.isEqual(to: right)
        default:
            guard let left = elements, let right = other.elements, left.count == right.count else { return false }
            return zip(left, right).allSatisfy { $0.isEqual(to: $1) }
        }
    }

    /// Returns the relation of this value to another one in the language, or `nil` if the two have no order.
    func compared(to other: FilterValue) -> Ordering? {
        guard case .single(let left) = self, case .single(let right) = other else { return nil }
        return left.compared(to: right)
    }
}

extension FilterValue {
    /// The value with its text folded for one comparison, which is counted as work.
    func foldedOnce(_ options: Filter.Options) throws -> FilterValue {
        if options.isEmpty { return self }
        try WorkMeter.spend(textLength)
        return folded(options)
    }

    /// The bytes of the value's text, in lists too.
    private var textLength: Int {
        switch self {
        case .single(.string(let text)): text.utf8.count
        case .single(.list(.string(let texts))): texts.reduce(0) { $0 + $1.utf8.count }
        case .single, .nothing: 0
        case .list(let elements): elements.reduce(0) { $0 + $1.textLength }
        }
    }
}
