/// The cells of a line of comma-separated values, as in RFC 4180.
struct CSVRow {
    /// A value, and the position of its first character.
    struct Cell {
        var text = ""
        let line: Int
        let column: Int
    }

    private(set) var cells: [Cell] = []

    /// Reads a row.
    ///
    /// - Throws: A mistake, with its position: a quotation mark within a value without quotes, or text after quotes.
    init(_ row: FileRow) throws(RowMistake) {
        var (line, column) = (row.line, 1)
        var characters = row.text.unicodeScalars[...]
        for end in ["\n", "\r"] as [Unicode.Scalar] where characters.last == end { characters.removeLast() }
        func mistake(_ message: String) -> RowMistake { RowMistake(line: line, column: column, message: message) }
        var cell = Cell(line: line, column: column)
        var (isQuoted, wasQuoted) = (false, false)
        while let character = characters.popFirst() {
            switch character {
            case "\"" where isQuoted && characters.first == "\"":
                cell.text.unicodeScalars.append(character)
                characters.removeFirst()
                column += 1
            case "\"" where isQuoted: isQuoted = false
            case "\"" where cell.text.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
            case "\"":
                throw mistake("A quotation mark within a value must be doubled, and the value in quotation marks.")
            case "," where !isQuoted:
                cells.append(cell)
                cell = Cell(line: line, column: column + 1)
                wasQuoted = false
            case _ where wasQuoted && !isQuoted:
                throw mistake("Expected a comma or the end of the line after the quotation mark.")
            default: cell.text.unicodeScalars.append(character)
            }
            column += 1
            if character == "\n" { (line, column) = (line + 1, 1) }
        }
        cells.append(cell)
    }

    /// Whether the line is empty.
    var isEmpty: Bool { cells.count == 1 && cells[0].text.isEmpty }
}
