extension [[String]] {
    /// The rows as lines, each column as wide as its widest text.
    ///
    /// - Parameter limit: The columns of the terminal, if limited. The widest columns shrink to the same width.
    package func aligned(toColumns limit: Int? = nil) -> [String] {
        var widths: [Int] = []
        for row in self {
            for (column, text) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = Swift.max(widths[column], text.columns)
            }
        }
        if let limit { widths.shrinkWidest(toFit: limit, gap: Self.gap.count) }
        return map { row in
            let line = zip(row, widths).map { $0.fitted(toColumns: $1) }.joined(separator: Self.gap)
            return (limit.map(line.truncated(toColumns:)) ?? line).trimmingSuffix(while: \.isWhitespace)
        }
    }

    private static var gap: String { "  " }
}

extension [Int] {
    /// Reduces the widest numbers to the largest one with which a line fits, but leaves enough to recognize a name.
    fileprivate mutating func shrinkWidest(toFit limit: Int, gap: Int) {
        let room = limit - gap * (count - 1)
        var largest = Swift.min(self.max() ?? 0, limit)
        while largest > 8, reduce(0, { $0 + Swift.min($1, largest) }) > room { largest -= 1 }
        self = map { Swift.min($0, largest) }
    }
}

extension String {
    /// The text on one line, without characters that a terminal would interpret.
    package var printable: String {
        let scalars = unicodeScalars.map { scalar in
            scalar.mustBeEscaped ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return scalars.joined()
    }

    /// The text on its lines, without characters that a terminal would interpret.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }

    func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        String(self[..<(lastIndex { !predicate($0) }.map(index(after:)) ?? startIndex)])
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would interpret the scalar, or reverse the direction of the text after it.
    fileprivate var mustBeEscaped: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
