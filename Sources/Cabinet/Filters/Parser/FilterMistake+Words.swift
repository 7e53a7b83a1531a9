/// The errors for words of other dialects, with their replacements.
extension FilterMistake {
    /// Returns the error for a function that filters do not have.
    ///
    /// - Parameter name: The name, with colons if it was written with them.
    static func unsupportedFunction(_ name: String, at offset: Int) -> FilterSyntaxError {
        let shown = name.contains(":") ? name : "\(name)()"
        // A single colon at the end makes no other function: `now:()`.
        let key = name.lowercased().split(separator: ":", omittingEmptySubsequences: true).joined(separator: ":")
        let hint = functions[key] ?? "calculate the value in Swift and pass it as %@, or keep it in a field."
        return FilterSyntaxError(at: offset, "the function '\(abbreviated(shown))' is not supported; \(hint)")
    }

    /// The replacements of functions, by their names in small letters.
    private static let functions: [String: String] = {
        var hints = [
            "now": "pass a Date as %@.",
            "ternary": "write (c AND a) OR (NOT c AND b).",
            "distance": "write distanceToLocation:fromLocation:(place, %@).",
            "distancetolocation": "write distanceToLocation:fromLocation:(place, %@).",
            "add:to": "write a + b.",
            "from:subtract": "write a - b.",
            "multiply:by": "write a * b.",
            "divide:by": "write a / b.",
            "raise:topower": "write a ** b.",
            "objectfrom:withindex": "write tags[0].",
            "count": "for a list write tags.@count or tags[SIZE].",
            "length": "keep the length in a field, or use LIKE '???*' for three characters or more.",
            "average": "for a list write prices.@avg.",
            "isnull": "write a == NIL.",
            "tokenize": "write SELF CONTAINS 'milk bread'.",
        ]
        for name in ["uppercase", "lowercase", "upper", "lower", "canonical"] {
            hints[name] = "to ignore case write [c] after the operator, as in name ==[c] 'milk'."
        }
        for name in ["sum", "min", "max", "avg"] { hints[name] = "for a list write prices.@\(name)." }
        for name in ["bitwiseand:with", "bitwiseor:with", "bitwisexor:with", "leftshift:by", "rightshift:by"] {
            hints[name] = "keep each flag in a field of its own."
        }
        return hints
    }()

    /// Returns the error for the wrong number of parameters, or for one of the wrong type.
    static func wrongParameters(_ function: FilterFunction, at offset: Int) -> FilterSyntaxError {
        let example =
            switch function {
            case .distance: "two locations, as in distanceToLocation:fromLocation:(place, %@)"
            case .tokenize: "a text and its options, as in tokenize:using:('milk bread', 'cdl')"
            case .cast: "a constant and the name of a type, as in CAST(694224000.0, 'TIMESTAMP')"
            }
        return FilterSyntaxError(at: offset, "'\(function.rawValue)' takes \(example).")
    }

    /// Returns the error for a type that `CAST` does not support.
    static func unsupportedCast(_ name: String, at offset: Int) -> FilterSyntaxError {
        FilterSyntaxError(
            at: offset, "'\(abbreviated(name))' is not a type that 'CAST' creates; expected \(FilterCast.names).")
    }

    /// Returns the error for a malformed SUBQUERY.
    static func wrongSubquery(at offset: Int) -> FilterSyntaxError {
        FilterSyntaxError(
            at: offset,
            "SUBQUERY takes a record type with its field that refers to the record, a variable, and a filter, as in "
                + "SUBQUERY(Items.list, $item, $item.number > 3).@count; for the elements of a list write ANY.")
    }

    /// Returns the error for a SUBQUERY whose records are not counted.
    static func subqueryWithoutCount(at offset: Int) -> FilterSyntaxError {
        FilterSyntaxError(
            at: offset, "SUBQUERY is a list of records; write .@count after it, as in SUBQUERY(…).@count > 0.")
    }

    /// Returns the error for a field of another record than that of the innermost SUBQUERY.
    static func fieldWithoutVariable(
        _ token: FilterToken, _ variable: String, in lexer: FilterLexer
    ) -> FilterSyntaxError {
        let name = abbreviated(String(decoding: lexer.bytes[token.start..<token.end].prefix(160), as: UTF8.self))
        return FilterSyntaxError(
            at: token.start,
            "within SUBQUERY, a field begins with its variable: write $\(variable).\(name). The fields of other records "
                + "cannot stand there.")
    }

    /// Returns the error for a reserved word of a feature that filters do not have.
    ///
    /// - Parameter word: The word, in capitals.
    static func unsupportedWord(_ word: String, at offset: Int) -> FilterSyntaxError {
        let hint =
            switch word {
            case "CASEINSENSITIVE", "CI": "to ignore case write [c] after the operator, as in name ==[c] 'milk'."
            case "FETCH": "run the inner query first, and pass its records as %@."
            case "ANYKEY": "name the field."
            default: "for a field of that name write #\(word.lowercased())."
            }
        return FilterSyntaxError(at: offset, "'\(word)' is not supported; \(hint)")
    }

    /// Returns the message about a word that is an operator in another dialect, or `nil` if the word is only a name.
    ///
    /// - Parameter operand: The text before the word.
    static func foreignWord(_ word: String, after operand: String) -> String? {
        let capitals = word.utf8.count > ReservedWord.longest ? word : word.uppercased()
        if capitals == "IS" { return "'\(word)' is not an operator. Write \(operand) == NIL or \(operand) != NIL." }
        if let hint = words[capitals] { return "'\(word)' is not an operator. Write \(hint)." }
        if ["ORDER", "SORT", "SORTED", "LIMIT", "GROUP", "HAVING", "OFFSET"].contains(capitals) {
            return "'\(word)' is not part of a filter. The order and the limit belong to the query."
        }
        return nil
    }

    /// The replacements of operators of other languages, in capitals.
    private static let words = [
        "EQ": "==", "EQUAL": "==", "EQUALS": "==", "NE": "!=", "NEQ": "!=", "LT": "<", "LE": "<=", "LTE": "<=",
        "GT": ">",
        "GE": ">=", "GTE": ">=", "STARTSWITH": "BEGINSWITH", "STARTS": "BEGINSWITH", "HASPREFIX": "BEGINSWITH",
        "ENDS": "ENDSWITH", "HASSUFFIX": "ENDSWITH", "HAS": "CONTAINS", "INCLUDES": "CONTAINS", "ILIKE": "LIKE[c]",
        "REGEX": "MATCHES", "REGEXP": "MATCHES", "RLIKE": "MATCHES", "MATCH": "MATCHES",
    ]
}
