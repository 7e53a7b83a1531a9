import TerminalProgram

/// Rows below their titles, as lines for a screen.
struct BrowseTable {
    private let widths: [Int]
    private let rows: [[String]]

    private static let gap = 2
    private static let longestCell = 32

    /// Measures rows.
    ///
    /// Columns that do not fit are left out, the last ones first.
    ///
    /// - Parameter rows: The titles, and the visible rows.
    init(_ rows: [[String]], columns: Int) {
        self.rows = rows
        let count = rows.map(\.count).max() ?? 0
        var widths: [Int] = []
        var used = Self.gap
        for column in 0..<count {
            let cells = rows.lazy.compactMap { $0.indices.contains(column) ? $0[column].columns : nil }
            let isLast = column == count - 1
            // The last column takes the rest of the line.
            let wanted = isLast ? max(1, columns - used) : min(Self.longestCell, cells.max() ?? 0)
            guard widths.isEmpty || used + min(wanted, 8) <= columns else { break }
            widths.append(min(wanted, max(1, columns - used)))
            used += (widths.last ?? 0) + Self.gap
        }
        self.widths = widths
    }

    /// The lines of the titles and rows.
    ///
    /// - Parameter selected: The index of the selected row, without the titles.
    func lines(selected: Int?) -> [StyledText] {
        rows.enumerated().map { index, row in
            let cells = zip(row, widths).map { $0.fitted(toColumns: $1) }.joined(separator: "  ")
            if index == 0 { return StyledText("  " + cells, .dim) }
            let isSelected = index - 1 == selected
            let line = StyledText(isSelected ? "› " : "  ", .cyan) + StyledText(cells)
            return isSelected ? line.adding([.reverse, .bold]) : line
        }
    }
}
