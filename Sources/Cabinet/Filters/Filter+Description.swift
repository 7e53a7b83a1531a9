extension Filter: CustomStringConvertible {
    /// The filter as a format string.
    ///
    /// Parsing it gives the same filter, to the last bit of every number and date. Only filters that ``encode(to:)`` refuses have
    /// a description that does not parse. Values without a literal of their own are written as
    /// `CAST(694224000.0, 'TIMESTAMP')`, and names with other characters than the language's as `#'my field'`. A chain that is not
    /// written with operators, such as one of a single filter, has its filters in braces: `AND {a == 1}`.
    public var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// - Parameter subject: The variable that stands for the record, or `nil` for the record of the query.
    func write(to text: inout String, of subject: String? = nil) {
        switch self {
        case .constant(let value):
            text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison):
            text += comparison.prefix
            if comparison.left == .searchableText, comparison.operator.findsWords {
                text += "\(subject ?? "SELF") \(comparison.operator == .search ? "SEARCH" : "CONTAINS") "
            } else {
                comparison.left.write(to: &text, of: subject)
                text += " \(comparison.symbol) "
            }
            comparison.right.write(to: &text, of: subject)
        case .and(let children):
            let isNested = if case .and? = children.first { true } else { false }
            Self.write(children, word: "AND", inBraces: isNested || children.count < 2, to: &text, of: subject)
        case .or(let children):
            let isNested = if case .or? = children.first { true } else { false }
            Self.write(children, word: "OR", inBraces: isNested || children.count < 2, to: &text, of: subject)
        case .not(let child):
            text += "NOT "
            child.writeInParentheses(to: &text, of: subject)
        }
    }

    private static func write(
        _ children: [Filter], word: String, inBraces: Bool, to text: inout String, of subject: String?
    ) {
        if inBraces { text += "\(word) {" }
        for (index, child) in children.enumerated() {
            if index > 0 { text += inBraces ? ", " : " \(word) " }
            switch child {
            case .comparison, .not: child.write(to: &text, of: subject)
            case _ where inBraces: child.write(to: &text, of: subject)
            default: child.writeInParentheses(to: &text, of: subject)
            }
        }
        if inBraces { text += "}" }
    }

    private func writeInParentheses(to text: inout String, of subject: String?) {
        if case .constant = self { return write(to: &text) }
        text += "("
        write(to: &text, of: subject)
        text += ")"
    }
}

extension Filter {
    /// Writes the number of records as NSPredicate spells it, with a variable that the filter leaves free.
    func writeSubquery(of collection: String, to text: inout String) {
        let taken = variables
        var variable = "x"
        var number = 0
        while taken.contains(variable) {
            number += 1
            variable = "x\(number)"
        }
        text += "SUBQUERY(\(collection), $\(variable), "
        write(to: &text, of: "$\(variable)")
        text += ").@count"
    }
}

extension Filter.Comparison: CustomStringConvertible {
    /// The comparison as a format string; see ``Filter/description``.
    public var description: String { Filter.comparison(self).description }

    /// The quantifier as it stands before the comparison, with a space after it: `ANY `.
    var prefix: String { quantifier.word.map { "\($0) " } ?? "" }

    /// The operator with its options: `BEGINSWITH[cd]`.
    var symbol: String {
        rule.symbol + (options.isEmpty ? "" : "[\(options.text)]")
    }
}
