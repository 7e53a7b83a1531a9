extension Filter: CustomStringConvertible {
    /// The filter as a format string.
    ///
    /// Parsing it gives the same tree, if the filter came from a format string or from builders. Dates, bytes,
    /// references, locations, and numbers that are not finite have no literals: they are written for a reader, `<…>`,
    /// and do not parse. Nor do names of fields that are no names in the language. The searchable text parses on the left
    /// side of TOKENMATCHES alone, whose options are not written, because they change nothing. A chain within a chain of the same
    /// kind, and a chain of fewer than two filters, which builders never make, come back as the shortest tree of the
    /// same meaning.
    public var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .constant(let value):
            text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison):
            text += comparison.prefix
            if comparison.left == .searchableText, comparison.operator == .tokenMatches {
                text += "SELF CONTAINS "
            } else {
                comparison.left.write(to: &text)
                text += " \(comparison.symbol) "
            }
            comparison.right.write(to: &text)
        case .and(let children):
            Self.write(children, separator: " AND ", none: "TRUEPREDICATE", to: &text)
        case .or(let children):
            Self.write(children, separator: " OR ", none: "FALSEPREDICATE", to: &text)
        case .not(let child):
            text += "NOT "
            child.writeInParentheses(to: &text)
        }
    }

    private static func write(_ children: [Filter], separator: String, none: String, to text: inout String) {
        if children.isEmpty { text += none }
        for (index, child) in children.enumerated() {
            if index > 0 { text += separator }
            switch child {
            case .comparison, .not: child.write(to: &text)
            default: child.writeInParentheses(to: &text)
            }
        }
    }

    private func writeInParentheses(to text: inout String) {
        if case .constant = self { return write(to: &text) }
        text += "("
        write(to: &text)
        text += ")"
    }
}

extension Filter.Comparison: CustomStringConvertible {
    /// The comparison as a format string; see ``Filter/description``.
    public var description: String { Filter.comparison(self).description }

    /// The quantifier as it stands before the comparison, with a space after it: `ANY `.
    var prefix: String { quantifier.word.map { "\($0) " } ?? "" }

    /// The operator with its options: `BEGINSWITH[cd]`.
    var symbol: String {
        rule.symbol + (options.isEmpty || `operator` == .tokenMatches ? "" : "[\(options.text)]")
    }
}

extension FieldValue {
    func writeLiteral(to text: inout String, longest: Int) {
        switch self {
        case .string(let value): Self.writeLiteral(value, to: &text, longest: longest)
        case .int64(let value): text += value.description
        case .double(let value) where value.isFinite: text += value.description
        case .double, .timestamp, .bytes, .reference, .location, .asset: text += "<\(self)>"
        case .list(let list):
            text += "{"
            for (index, element) in list.elements.prefix(longest).enumerated() {
                if index > 0 { text += ", " }
                element.writeLiteral(to: &text, longest: longest)
            }
            text += list.count > longest ? ", …}" : "}"
        }
    }

    private static func writeLiteral(_ value: String, to text: inout String, longest: Int) {
        text += "'"
        // By scalars, because a quote and a combining mark after it make one character.
        let scalars = value.unicodeScalars
        let shown = scalars.prefix(longest)
        for scalar in shown {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += shown.endIndex == scalars.endIndex ? "'" : "…'"
    }
}
