/// Some fields that a person fills in, one of which has the cursor.
package struct Form: Sendable {
    private var fields: [Field]
    private var focus = 0

    /// A field with a label.
    package struct Field: Sendable {
        let label: String
        /// A hint that is shown while the field is empty.
        let hint: String
        var editor: Editor

        enum Editor: Sendable {
            case line(TextField)
            case text(TextArea)
        }

        /// A field for one line.
        package static func line(_ label: String, _ text: String, hint: String = "") -> Field {
            Field(label: label, hint: hint, editor: .line(TextField(text)))
        }

        /// A field for several lines.
        package static func text(_ label: String, _ text: String, hint: String = "") -> Field {
            Field(label: label, hint: hint, editor: .text(TextArea(text)))
        }
    }

    /// The effect of a key on a form.
    package enum Outcome: Sendable {
        case editing, save, cancel
    }

    /// Creates a form; the first field has the cursor.
    package init(_ fields: [Field]) {
        self.fields = fields
    }

    /// The texts of all fields.
    package var texts: [String] { fields.map(\.text) }

    /// The position of the field that has the cursor.
    package var focusedField: Int { focus }

    /// Replaces the text of a field.
    package mutating func setText(_ text: String, of field: Int) {
        guard fields.indices.contains(field) else { return }
        fields[field].setText(text)
    }

    /// Edits the field that has the cursor, or moves to another one.
    package mutating func handle(_ key: Key) -> Outcome {
        guard fields.indices.contains(focus) else { return .cancel }
        switch key {
        case .escape: return .cancel
        case .control("s"): return .save
        case .tab: focus = (focus + 1) % fields.count
        case .backTab: focus = (focus + fields.count - 1) % fields.count
        default:
            if fields[focus].handle(key) { break }
            switch key {
            case .enter: return .save
            case .down: focus = min(focus + 1, fields.count - 1)
            case .up: focus = max(focus - 1, 0)
            default: break
            }
        }
        return .editing
    }

    /// The form as lines, and the position of the cursor.
    package mutating func lines(rows: Int, columns: Int) -> (lines: [StyledText], cursor: (row: Int, column: Int)) {
        var lines: [StyledText] = []
        var cursor = (row: 0, column: 0)
        let margin = (fields.map(\.label.columns).max() ?? 0) + 4
        // The rows that the other fields leave, with an empty line after each.
        let height = max(1, rows - fields.count * 2 + 1)
        for index in fields.indices {
            let part = fields[index].visible(
                rows: height, columns: max(1, columns - margin), hasFocus: index == focus)
            if index == focus { cursor = (lines.count + part.cursor.row, margin + part.cursor.column) }
            let label = (index == focus ? "› " : "  ") + fields[index].label
            let style: Style = index == focus ? [.bold, .cyan] : .dim
            lines += part.lines.enumerated().map { row, line in
                StyledText((row == 0 ? label : "").fitted(toColumns: margin), style) + line
            }
            lines.append("")
        }
        return (lines, cursor)
    }
}
