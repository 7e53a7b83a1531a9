/// The widths of a table's columns: the first one takes the room that the others leave.
package struct RowLayout: Sendable {
    private let widths: [Int]
    private let flexible: Int

    /// Measures rows.
    ///
    /// - Parameters:
    ///   - rows: The visible rows; others need not be measured.
    ///   - width: The columns of the terminal.
    package init(_ rows: [[String]], width: Int) {
        let count = rows.map(\.count).max() ?? 1
        var widths = (1..<max(2, count)).map { column in
            rows.lazy.compactMap { $0.indices.contains(column) ? $0[column].columns : nil }.max() ?? 0
        }
        // A name must stay recognizable: columns that leave it too little room are hidden, the last ones first.
        let room = width - Self.margin
        func rest() -> Int { room - widths.reduce(0) { $0 + $1 + Self.gap } }
        while !widths.isEmpty, rest() < min(room, 12) { widths.removeLast() }
        flexible = max(0, rest())
        self.widths = widths
    }

    /// The mark of the selection.
    private static let margin = 2
    private static let gap = 2

    /// A row as a line.
    package func line(_ row: [String], isSelected: Bool) -> StyledText {
        let name = (row.first ?? "").fitted(toColumns: flexible)
        let others = zip(row.dropFirst(), widths).map { text, width in
            String(repeating: " ", count: Self.gap + max(0, width - text.columns)) + text.truncated(toColumns: width)
        }
        let line = StyledText(isSelected ? "› " : "  ", .cyan) + StyledText(name) + StyledText(others.joined(), .dim)
        return isSelected ? line.adding([.reverse, .bold]) : line
    }
}
