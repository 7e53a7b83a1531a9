/// A word of a format string.
struct FilterToken {
    let kind: Kind

    /// Where the token begins, as an offset in the format's bytes.
    let start: Int

    /// Where the token ends.
    let end: Int

    enum Kind: Equatable {
        /// A name, or an escaped one, and the steps of the key path that it begins.
        case name(String)
        /// `allTokens`, which is a name like others everywhere but before TOKENMATCHES.
        case allTokens
        /// `SELF` without a path.
        case ownRecord
        case text(String)
        case integer(Int64)
        case double(Double)
        case specifier(FilterSpecifier)
        /// `$name`, without the sign.
        case variable(String)
        /// A function, without its opening parenthesis.
        case function(FilterFunction)
        case null
        case boolean(Bool)
        case predicate(Bool)
        case comparison(Filter.Operator)
        case arithmetic(Filter.Arithmetic)
        case quantifier(Filter.Quantifier)
        case and
        case or
        case not
        case openParenthesis
        case closeParenthesis
        case openBrace
        case closeBrace
        case openBracket
        case closeBracket
        case comma
        case dot
        /// A reserved word, in capitals, of what the language leaves out on purpose.
        case otherWord(String)
        /// `:=`
        case assignment
        case end
    }
}

/// What stands in a format string for an argument.
enum FilterSpecifier: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`: the name of a field, or a key path.
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

/// The functions of the language, each with two parameters.
enum FilterFunction: String {
    /// The distance between two places.
    case distance = "distanceToLocation:fromLocation:"
    /// How CloudKit prints the words of a search: the text, and options that change nothing here.
    case tokenize = "tokenize:using:"
    /// A constant without a literal of its own: a value, and the type to make of it.
    case cast = "CAST"
}
