/// What the parser has read so far: a value, or a whole filter, and where it stands.
struct FilterOperand {
    var value: Value

    /// How many levels the tree has; 0 for a value that is made of no others.
    var depth: Int

    /// Where the operand begins, as an offset in the format's bytes.
    var start: Int

    /// Where the operand ends.
    var end: Int

    /// What the operand was written as, for messages, and for the words of a search.
    var origin: Origin

    enum Value {
        case expression(Filter.Expression)
        case filter(Filter)
    }

    enum Origin: Equatable {
        case field
        /// `SELF` alone, which is the record's ID, or all its words before CONTAINS.
        case ownRecord
        /// `allTokens`, which is a field, or all words of the record before TOKENMATCHES.
        case allTokens
        case literal
        case boolean(Bool)
        case specifier(FilterSpecifier)
        case list
        /// What is made of other values.
        case operation
        case filter
    }

    var isExpression: Bool {
        if case .expression = value { true } else { false }
    }
}
