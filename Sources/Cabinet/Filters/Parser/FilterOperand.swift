/// A value or a whole filter that the parser has read, with its position.
struct FilterOperand {
    var value: Value

    /// The number of levels of the tree, or 0 for a value without operands.
    var depth: Int

    /// The offset of the operand in the format's bytes.
    var start: Int

    /// The offset after the operand.
    var end: Int

    /// The spelling of the operand, for messages and for the words of a search.
    var origin: Origin

    enum Value {
        case expression(Filter.Expression)
        case filter(Filter)
    }

    enum Origin: Equatable {
        case field
        /// `SELF` alone, which is the record's ID, or all its words before CONTAINS and SEARCH.
        case ownRecord
        /// `allTokens`, which is a field, or all words of the record before TOKENMATCHES and SEARCH.
        case allTokens
        case literal
        case boolean(Bool)
        case specifier(FilterSpecifier)
        case list
        /// A computation on other values.
        case operation
        case filter
    }

    var isExpression: Bool {
        if case .expression = value { true } else { false }
    }
}

/// The functions of the language, each with two parameters.
enum FilterFunction: String {
    /// The distance between two locations.
    case distance = "distanceToLocation:fromLocation:"
    /// The words of a search as CloudKit prints them: the text, and options that change nothing here.
    case tokenize = "tokenize:using:"
    /// A constant without a literal of its own: a value, and the type of the result.
    case cast = "CAST"
}
