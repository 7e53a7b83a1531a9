/// An operation that waits for its right operand, or for its closing sign.
struct FilterOperation {
    var kind: Kind

    /// The offset of the operator.
    var start: Int
    var end: Int

    /// The options of a comparison.
    var options: Filter.Options = []
    var hasOptions = false

    /// The quantifier before a comparison, and where it stands.
    var quantifier = Filter.Quantifier.single
    var quantifierStart: Int?

    enum Kind: Equatable {
        /// `(`
        case parenthesis
        /// `{`, and the number of operands before it.
        case brace(first: Int)
        /// `AND {` or `OR {` before filters, and the number of operands before it.
        case chain(isAnd: Bool, first: Int)
        /// `[` after a value.
        case bracket
        /// A function and its `(`, and the number of operands before it.
        case call(FilterFunction, first: Int)
        /// SUBQUERY up to its filter: the records that it counts, and the variable that stands for each.
        case subquery(Record.RecordType, by: Record.FieldKey, variable: String)
        /// A chain of OR, and its number of operands.
        case or(Int)
        /// A chain of AND, and its number of operands.
        case and(Int)
        case not
        case comparison(Filter.Operator)
        /// ANY and its like, until the operator of their comparison is read.
        case quantifier(Filter.Quantifier)
        case arithmetic(Filter.Arithmetic)
        /// A minus sign before a value.
        case negative
    }

    /// Whether the options of the operator may come next.
    var takesOptions: Bool { isComparison && !hasOptions }

    var isComparison: Bool {
        if case .comparison = kind { true } else { false }
    }

    /// The precedence of the operator, which is lowest for a group.
    var precedence: Int {
        switch kind {
        case .parenthesis, .brace, .chain, .bracket, .call, .subquery: 0
        case .or: 1
        case .and: 2
        case .not: 3
        case .comparison, .quantifier: 4
        case .arithmetic(let arithmetic): Self.weakestArithmetic + arithmetic.precedence
        case .negative: Self.weakestArithmetic + Filter.Arithmetic.negativePrecedence
        }
    }

    /// Operators of at least this precedence compute values from values.
    static let weakestArithmetic = 5

    /// The signs that open and close the group, or `nil` if the operation is not a group.
    var signs: (open: String, close: String)? {
        switch kind {
        case .parenthesis, .call, .subquery: ("(", ")")
        case .brace, .chain: ("{", "}")
        case .bracket: ("[", "]")
        default: nil
        }
    }
}
