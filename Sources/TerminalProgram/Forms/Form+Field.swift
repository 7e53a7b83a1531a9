extension Form.Field {
    /// The content of the field.
    var text: String {
        switch editor {
        case .line(let field): field.text
        case .text(let area): area.text
        }
    }

    mutating func setText(_ text: String) {
        switch editor {
        case .line: editor = .line(TextField(text))
        case .text: editor = .text(TextArea(text))
        }
    }

    /// Edits the text if the key is an editing key.
    mutating func handle(_ key: Key) -> Bool {
        switch editor {
        case .line(var field):
            defer { editor = .line(field) }
            return field.handle(key)
        case .text(var area):
            defer { editor = .text(area) }
            return area.handle(key)
        }
    }

    /// The lines of the field that fit, and the position of the cursor in them.
    mutating func visible(
        rows: Int, columns: Int, hasFocus: Bool
    ) -> (lines: [StyledText], cursor: (row: Int, column: Int)) {
        if text.isEmpty { return ([StyledText(hint.truncated(toColumns: columns), .dim)], (0, 0)) }
        switch editor {
        case .line(let field):
            let visible = field.visible(columns: columns)
            let text = hasFocus ? visible.text : field.text.printable.truncated(toColumns: columns)
            return ([StyledText(text)], (0, visible.cursor))
        case .text(var area):
            defer { editor = .text(area) }
            let visible = area.visible(rows: rows, columns: columns, hasFocus: hasFocus)
            return (visible.lines.map { StyledText($0) }, visible.cursor)
        }
    }
}
