import Cabinet
import SQLSupport

/// Operators that compare the ends of a text, its pattern, or its words.
extension PostgresDialect {
    /// Folds ASCII.
    ///
    /// PostgreSQL folds other letters differently from Unicode.
    static func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm {
        // ASCII has no diacritics.
        let text = options.contains(.caseInsensitive) ? "lower(\(term.text) COLLATE \"C\")" : term.text
        return SQLTerm(text: text, type: term.type, inexactCases: term.inexactCases + [isBeyondASCII(term.text)])
    }

    /// Returns the condition that a text has characters outside ASCII.
    static func isBeyondASCII(_ text: String) -> String { "octet_length(\(text)) <> length(\(text))" }

    private static let longLength = 256

    /// Whether a text is too long for SQL's functions, whose worst-case cost is the product of both lengths.
    static func isLong(_ part: String) -> Bool { part.utf8.count > longLength }

    /// Returns the condition that a text may match the second half of an encoded character: see ``StoredText``.
    private static func isHalf(_ text: String) -> String { "ascii(\(text)) IN (2, 3)" }

    /// PostgreSQL's own functions refuse some texts that are JSON, and keep the last of several members with one name.
    static func value(_ json: FieldPath.JSON, in text: SQLTerm) -> SQLTerm? { nil }

    static func contains(_ part: SQLOperand, in text: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (part, text) {
        case (.value(.string(let part)), .term(let term)) where term.kind == .text:
            let stored = StoredText.encoded(part)
            // SQL finds the empty text in every text; the filter language does not.
            if part.isEmpty { return .never }
            guard StoredText.isFoundAnywhere(stored), !isLong(part) else { return nil }
            return term.test("strpos(\(term.text), \(translator.builder.parameter(.text(stored)))) > 0")
        case (.term(let term), .value(.string(let text))) where term.kind == .text:
            if isLong(text) { return nil }
            let parameter = translator.builder.parameter(.text(StoredText.encoded(text)))
            var found = term.test("strpos(\(parameter), \(term.text)) > 0 AND \(term.text) <> ''")
            found.inexactCases.append(isHalf(term.text))
            return found
        case (.term(let part), .term(let text)) where part.kind == .text && text.kind == .text:
            var found = part.test(with: text, "strpos(\(text.text), \(part.text)) > 0 AND \(part.text) <> ''")
            found.inexactCases += [isHalf(part.text), "octet_length(\(part.text)) > \(longLength)"]
            return found
        default: return nil
        }
    }

    static func begins(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let prefix))) where term.kind == .text:
            if prefix.isEmpty { return .never }
            let stored = StoredText.encoded(prefix)
            guard term.isColumn else {
                let parameter = translator.builder.parameter(.text(stored))
                return term.test("left(\(term.text), \(stored.unicodeScalars.count)) = \(parameter)")
            }
            // A range of the prefix uses the index.
            let isWhole = term.key?.isWhole(.text(stored)) ?? false
            let column = isWhole ? term.key?.text ?? term.text : term.text
            let lower = "\(column) >= \(translator.builder.parameter(.text(stored)))"
            guard let bound = TextRange.upperBound(ofPrefix: stored) else { return term.test(lower) }
            return term.test("\(lower) AND \(column) < \(translator.builder.parameter(.text(bound)))")
        case (.term(let text), .term(let prefix)) where text.kind == .text && prefix.kind == .text:
            return text.test(
                with: prefix,
                "left(\(text.text), length(\(prefix.text))) = \(prefix.text) AND \(prefix.text) <> ''")
        case (.value(.string(let text)), .term(let prefix)) where prefix.kind == .text:
            let parameter = translator.builder.parameter(.text(StoredText.encoded(text)))
            return prefix.test("left(\(parameter), length(\(prefix.text))) = \(prefix.text) AND \(prefix.text) <> ''")
        default: return nil
        }
    }

    static func ends(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let end))) where term.kind == .text:
            if end.isEmpty { return .never }
            let stored = StoredText.encoded(end)
            guard StoredText.isFoundAnywhere(stored) else { return nil }
            let parameter = translator.builder.parameter(.text(stored))
            return term.test("right(\(term.text), \(stored.unicodeScalars.count)) = \(parameter)")
        case (.term(let text), .term(let end)) where text.kind == .text && end.kind == .text:
            var found = text.test(
                with: end, "right(\(text.text), length(\(end.text))) = \(end.text) AND \(end.text) <> ''")
            found.inexactCases.append(isHalf(end.text))
            return found
        case (.value(.string(let text)), .term(let end)) where end.kind == .text:
            let parameter = translator.builder.parameter(.text(StoredText.encoded(text)))
            var found = end.test("right(\(parameter), length(\(end.text))) = \(end.text) AND \(end.text) <> ''")
            found.inexactCases.append(isHalf(end.text))
            return found
        default: return nil
        }
    }

    /// The limit of wildcards of any length in a pattern: each multiplies the worst-case cost.
    private static let maximumWildcards = 4

    static func isLike(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let pattern))) where term.kind == .text:
            // By scalars: a wildcard and a combining mark after it are one character.
            let (prefix, end) = (pattern.unicodeScalars.dropLast(), pattern.unicodeScalars.last)
            if end == "*", !prefix.isEmpty, !prefix.contains(where: { $0 == "*" || $0 == "?" }) {
                return begins(left, with: .value(.string(String(prefix))), &translator)
            }
            guard let stored = storedPattern(pattern) else { return nil }
            var found = term.test("\(term.text) LIKE \(translator.builder.parameter(.text(stored)))")
            // `?` matches one character, which may be stored as two.
            if pattern.unicodeScalars.contains("?") { found.inexactCases.append("strpos(\(term.text), chr(1)) > 0") }
            return found
        default: return nil
        }
    }

    /// Translates a pattern of the filter language to SQL; `nil` if it is too expensive in SQL.
    private static func storedPattern(_ pattern: String) -> String? {
        if isLong(pattern) { return nil }
        var stored = String.UnicodeScalarView()
        var wildcards = 0
        var isAfterWildcard = false
        for scalar in StoredText.encoded(pattern).unicodeScalars {
            switch scalar {
            case "*":
                if !isAfterWildcard { wildcards += 1 }
                stored.append("%")
                isAfterWildcard = true
                continue
            case "?": stored.append("_")
            case "%", "_", "\\": stored.append(contentsOf: ["\\", scalar])
            // A wildcard could end within a character that is stored as two.
            case "\u{2}", "\u{3}": if isAfterWildcard { return nil } else { stored.append(scalar) }
            default: stored.append(scalar)
            }
            isAfterWildcard = false
        }
        return wildcards <= maximumWildcards ? String(stored) : nil
    }

    /// Leaves MATCHES to the evaluator, because PostgreSQL's regular expressions differ from ICU's.
    static func matches(
        _ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest? { nil }

    /// Searches for words without an index, which SQL can do only for ASCII.
    static func hasWords(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let text))) where term.kind == .text && !isLong(text):
            let words = Set(SearchTokens.tokens(in: text)).sorted()
            if words.isEmpty { return .never }
            // ASCII words are letters and digits, which need no escaping in a regular expression.
            let plain = words.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
            let inexactCases = term.inexactCases + [isBeyondASCII(term.text)]
            if plain.isEmpty { return SQLTest(.never, inexactCases: inexactCases) }
            let expression = "(^|[^a-z0-9])(\(plain.joined(separator: "|")))($|[^a-z0-9])"
            let parameter = translator.builder.parameter(.text(expression))
            return SQLTest(.sql("lower(\(term.text) COLLATE \"C\") ~ \(parameter)"), inexactCases: inexactCases)
        default: return nil
        }
    }
}
