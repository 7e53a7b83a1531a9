extension String {
    /// The number of columns that a terminal uses to show the text.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text, cut with an ellipsis if it needs more columns than there are.
    package func truncated(toColumns limit: Int) -> String {
        guard columns > limit else { return self }
        guard limit > 0 else { return "" }
        return prefix(columns: limit - 1) + "…"
    }

    /// The text in exactly this many columns: cut with an ellipsis, or followed by spaces.
    package func fitted(toColumns count: Int) -> String {
        let text = truncated(toColumns: count)
        return text + String(repeating: " ", count: max(0, count - text.columns))
    }

    /// The longest beginning of the text that fits into this many columns.
    func prefix(columns limit: Int) -> String {
        var used = 0
        return String(
            prefix { character in
                used += character.columns
                return used <= limit
            })
    }

    /// The text in lines of at most this many columns, broken between words where possible.
    package func wrapped(toColumns width: Int) -> [String] {
        let width = max(1, width)
        return split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { line in
            String(line).wrappedLine(toColumns: width)
        }
    }

    private func wrappedLine(toColumns width: Int) -> [String] {
        var lines: [String] = []
        var (start, used) = (startIndex, 0)
        var afterSpace: Index?
        for index in indices {
            used += self[index].columns
            if used > width, index > start {
                let end = afterSpace ?? index
                lines.append(String(self[start..<end]).trimmingSuffix(while: \.isWhitespace))
                (start, used, afterSpace) = (end, String(self[end...index]).columns, nil)
            }
            if self[index] == " " { afterSpace = self.index(after: index) }
        }
        return lines + [String(self[start...])]
    }
}
