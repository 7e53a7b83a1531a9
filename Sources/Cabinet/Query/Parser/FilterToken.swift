/// A word of a format string.
struct FilterToken {
    let kind: Kind

    /// Where the token begins, as an offset in the format's bytes.
    let start: Int

    /// Where the token ends.
    let end: Int

    enum Kind: Equatable {
        case name(String)
        case text(String)
        case integer(Int64)
        case double(Double)
        case specifier(FilterSpecifier)
        case null
        case boolean(Bool)
        case predicate(Bool)
        case comparison(Filter.Operator)
        case quantifier(Filter.Quantifier)
        case and
        case or
        case not
        case openParenthesis
        case closeParenthesis
        case openBrace
        case closeBrace
        case comma
        /// A reserved word, in capitals, of the part of the language that this version does not have.
        case otherWord(String)
        /// A sign of that part, or one of no language.
        case otherSign(String)
        case end
    }
}

/// What stands in a format string for an argument.
enum FilterSpecifier: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`: the name of a field.
    case key
    /// `%d` and its kin, as they were written: a whole number.
    case integer(String)
    /// `%f` and its kin, as they were written: a number.
    case number(String)

    var spelling: String {
        switch self {
        case .value: "%@"
        case .key: "%K"
        case .integer(let spelling), .number(let spelling): spelling
        }
    }
}
