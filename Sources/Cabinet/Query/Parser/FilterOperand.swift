/// What the parser has read so far: a value, or a whole filter, and where it stands.
struct FilterOperand {
    var value: Value

    /// How many levels the tree has; 0 for a value that is no list.
    var depth: Int

    /// Where the operand begins, as an offset in the format's bytes.
    var start: Int

    /// Where the operand ends.
    var end: Int

    /// What the operand was written as, for messages.
    var origin: Origin

    enum Value {
        case expression(Filter.Expression)
        case filter(Filter)
    }

    enum Origin {
        case field
        case literal
        case boolean(Bool)
        case specifier(FilterSpecifier)
        case list
        case filter
    }
}

/// What waits for its right operand, or for its closing sign.
struct FilterOperation {
    var kind: Kind

    /// Where the operator stands.
    var start: Int
    var end: Int

    /// The options of a comparison.
    var options: Filter.Options = []

    /// The quantifier before a comparison, and where it stands.
    var quantifier = Filter.Quantifier.single
    var quantifierStart: Int?

    enum Kind: Equatable {
        /// `(`
        case parenthesis
        /// `{`, and the number of operands before it.
        case brace(first: Int)
        /// A chain of OR, and its number of operands.
        case or(Int)
        /// A chain of AND, and its number of operands.
        case and(Int)
        case not
        case comparison(Filter.Operator)
        /// ANY and its like, until the operator of their comparison is read.
        case quantifier(Filter.Quantifier)
    }

    /// Whether the options of the operator may come next.
    var takesOptions: Bool {
        if case .comparison = kind { options.isEmpty } else { false }
    }

    /// How tightly the operator binds; a group holds everything within together.
    var precedence: Int {
        switch kind {
        case .parenthesis, .brace: 0
        case .or: 1
        case .and: 2
        case .not: 3
        case .comparison, .quantifier: 4
        }
    }
}
