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
