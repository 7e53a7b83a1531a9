/// An editor of several lines of text, with a cursor.
package struct TextArea: Sendable {
    private var lines: [TextField]
    private var row: Int
    private var firstVisible = 0

    /// Creates an editor; the cursor is at the end of the text.
    package init(_ text: String = "") {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { TextField(String($0)) }
        row = lines.count - 1
    }

    package var text: String { lines.map(\.text).joined(separator: "\n") }

    /// Edits the text if the key is an editing key.
    ///
    /// - Returns: Whether it is. The arrows leave the text at its first and last line.
    mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .enter: breakLine()
        case .paste(let text): paste(text)
        case .up where row > 0: row -= 1
        case .down where row < lines.count - 1: row += 1
        case .backspace where lines[row].isAtStart: join(row - 1)
        case .delete where lines[row].isAtEnd: join(row)
        default: return lines[row].handle(key)
        }
        return true
    }

    private mutating func breakLine() {
        lines.insert(lines[row].split(), at: row + 1)
        row += 1
    }

    private mutating func paste(_ text: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if index > 0 { breakLine() }
            _ = lines[row].handle(.paste(String(line)))
        }
    }

    /// Joins a line and the next one; the cursor is between them.
    private mutating func join(_ index: Int) {
        guard lines.indices.contains(index), lines.indices.contains(index + 1) else { return }
        lines[index].append(lines.remove(at: index + 1))
        row = index
    }

    /// The lines around the cursor that fit, and the position of the cursor in them.
    ///
    /// - Parameter hasFocus: Whether the cursor is shown. A line without it is shown from its beginning.
    mutating func visible(rows: Int, columns: Int, hasFocus: Bool) -> (lines: [String], cursor: (row: Int, column: Int))
    {
        firstVisible = max(row - max(1, rows) + 1, min(firstVisible, row))
        let visible = firstVisible..<min(lines.count, firstVisible + max(1, rows))
        let cursor = (row: row - firstVisible, column: lines[row].visible(columns: columns).cursor)
        let texts = visible.map { index in
            let line = lines[index]
            let isCut = hasFocus && index == row
            return isCut ? line.visible(columns: columns).text : line.text.printable.truncated(toColumns: columns)
        }
        return (texts, cursor)
    }
}
