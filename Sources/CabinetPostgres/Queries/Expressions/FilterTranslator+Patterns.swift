import Cabinet

/// The operators that look at the ends of a text, at its pattern, or at its words.
extension FilterTranslator {
    mutating func beginning(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let prefix))) where term.kind == .text:
            if prefix.isEmpty { return .never }
            let stored = StoredText.encoded(prefix)
            guard term.column != nil else {
                return term.test(
                    "left(\(term.text), \(stored.unicodeScalars.count)) = \(builder.parameter(.text(stored)))")
            }
            // A range can be found by an index.
            let isWhole = term.key?.isWhole(.text(stored)) ?? false
            let column = isWhole ? term.key?.text ?? term.text : term.text
            let lower = "\(column) >= \(builder.parameter(.text(stored)))"
            guard let bound = Self.upperBound(ofPrefix: stored) else { return term.test(lower) }
            return term.test("\(lower) AND \(column) < \(builder.parameter(.text(bound)))")
        case (.term(let text), .term(let prefix)) where text.kind == .text && prefix.kind == .text:
            return test(
                text, prefix, "left(\(text.text), length(\(prefix.text))) = \(prefix.text) AND \(prefix.text) <> ''")
        case (.value(.string(let text)), .term(let prefix)) where prefix.kind == .text:
            let parameter = builder.parameter(.text(StoredText.encoded(text)))
            return prefix.test(
                "left(\(parameter), length(\(prefix.text))) = \(prefix.text) AND \(prefix.text) <> ''")
        default: return nil
        }
    }

    /// The first text, in the order of scalars, that comes after all that begin with a prefix; `nil` if none does.
    static func upperBound(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no scalars: the next one after U+D7FF is U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var bound = String.UnicodeScalarView()
            bound.append(contentsOf: scalars)
            return String(bound)
        }
        return nil
    }

    mutating func ending(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let end))) where term.kind == .text:
            if end.isEmpty { return .never }
            let stored = StoredText.encoded(end)
            guard StoredText.isFoundAnywhere(stored) else { return nil }
            return term.test(
                "right(\(term.text), \(stored.unicodeScalars.count)) = \(builder.parameter(.text(stored)))")
        case (.term(let text), .term(let end)) where text.kind == .text && end.kind == .text:
            var found = test(
                text, end, "right(\(text.text), length(\(end.text))) = \(end.text) AND \(end.text) <> ''")
            found.unsure.append(Self.isHalf(end.text))
            return found
        case (.value(.string(let text)), .term(let end)) where end.kind == .text:
            let parameter = builder.parameter(.text(StoredText.encoded(text)))
            var found = end.test("right(\(parameter), length(\(end.text))) = \(end.text) AND \(end.text) <> ''")
            found.unsure.append(Self.isHalf(end.text))
            return found
        default: return nil
        }
    }

    /// The most runs of any text that a pattern may have, as each multiplies the work at worst.
    private static let mostRuns = 4

    mutating func pattern(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let pattern))) where term.kind == .text:
            if pattern.hasSuffix("*"), !pattern.dropLast().contains(where: { $0 == "*" || $0 == "?" }),
                pattern.unicodeScalars.count > 1
            {
                var prefix = pattern.unicodeScalars
                prefix.removeLast()
                return beginning(left, .value(.string(String(prefix))))
            }
            guard let stored = Self.storedPattern(pattern) else { return nil }
            var found = term.test("\(term.text) LIKE \(builder.parameter(.text(stored)))")
            // One character may be stored as two.
            if pattern.unicodeScalars.contains("?") { found.unsure.append("strpos(\(term.text), chr(1)) > 0") }
            return found
        default: return nil
        }
    }

    /// A pattern of the filter language as one of SQL; `nil` if it is too much for SQL.
    private static func storedPattern(_ pattern: String) -> String? {
        if isLong(pattern) { return nil }
        var stored = String.UnicodeScalarView()
        var runs = 0
        var isAfterRun = false
        for scalar in StoredText.encoded(pattern).unicodeScalars {
            switch scalar {
            case "*":
                if !isAfterRun { runs += 1 }
                stored.append("%")
                isAfterRun = true
                continue
            case "?": stored.append("_")
            case "%", "_", "\\": stored.append(contentsOf: ["\\", scalar])
            // A run could end within a character that is stored as two.
            case "\u{2}", "\u{3}": if isAfterRun { return nil } else { stored.append(scalar) }
            default: stored.append(scalar)
            }
            isAfterRun = false
        }
        return runs <= mostRuns ? String(stored) : nil
    }

    /// Nil matches no regular expression; of the rest SQL knows nothing.
    mutating func matching(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): .never
        default: nil
        }
    }
}
