/// A word of a format string.
struct FilterToken {
    let kind: Kind

    /// The offset of the token in the format's bytes.
    let start: Int

    /// The offset after the token.
    let end: Int

    enum Kind {
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
