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
        /// `allTokens`, which is a name like others everywhere but before TOKENMATCHES and SEARCH.
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

/// A placeholder for an argument in a format string.
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

/// The words of the filter language, which are names of fields only after `#`.
enum ReservedWord {
    /// The reserved words, in capitals; the language ignores their case.
    static let all: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST",
        "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// The length of the longest word, in bytes.
    static let longest = all.map(\.utf8.count).max() ?? 0
}

extension UInt8 {
    /// Whether the ASCII character may begin a name.
    var beginsName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Whether the ASCII character is a decimal digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the ASCII character may stand within a name.
    var continuesName: Bool { beginsName || isDigit }
}
