/// The content of a full-screen program: a title, a body, a message, and the available keys.
package struct Page: Sendable {
    package var title: String

    /// The text to the right of the title, such as the number of rows.
    package var status: String

    /// The lines between the title and the message.
    package var body: [StyledText]

    /// The message, or `nil`.
    package var message: String?

    /// The importance of the message.
    package var messageStyle: Style

    /// The keys and their effects.
    package var keys: [(key: String, action: String)]

    /// The position of the cursor in the body; `nil` to hide it.
    package var cursor: (row: Int, column: Int)?

    /// Describes a page.
    package init(
        title: String, status: String = "", body: [StyledText], message: String? = nil, messageStyle: Style = .yellow,
        keys: [(key: String, action: String)], cursor: (row: Int, column: Int)? = nil
    ) {
        self.title = title
        self.status = status
        self.body = body
        self.message = message
        self.messageStyle = messageStyle
        self.keys = keys
        self.cursor = cursor
    }

    /// Adds a line to type in below the body, above the message, and its keys.
    package mutating func ask(_ label: String, _ field: TextField, in size: TerminalSize) {
        let label = label.truncated(toColumns: size.columns / 2) + " "
        let visible = field.visible(columns: max(8, size.columns - label.columns - 1))
        appendLine(StyledText(label, [.bold, .yellow]) + StyledText(visible.text), in: size)
        cursor = (body.count - 1, label.columns + visible.cursor)
        keys = [("Enter", "accept"), ("Esc", "cancel"), ("^U", "clear")]
    }

    /// Adds a question that one key answers, in the same position.
    package mutating func confirm(_ question: String, in size: TerminalSize) {
        let label = question.truncated(toColumns: size.columns - 7) + " (y/N) "
        appendLine(StyledText(label, [.bold, .yellow]), in: size)
        cursor = (body.count - 1, label.columns)
        keys = [("y", "yes"), ("n", "no")]
    }

    private mutating func appendLine(_ line: StyledText, in size: TerminalSize) {
        let row = max(0, Self.bodyHeight(in: size) - max(1, messageHeight(in: size)))
        body = body.prefix(row) + Array(repeating: "", count: max(0, row - body.count)) + [line]
    }

    /// The number of lines above the body.
    package static let headerHeight = 2

    /// The number of lines that a body can have.
    package static func bodyHeight(in size: TerminalSize) -> Int {
        max(1, size.rows - headerHeight - 2)
    }

    /// The lines of the whole screen, each as wide as the screen.
    func lines(in size: TerminalSize) -> [StyledText] {
        let messages = messageLines(in: size).map { StyledText($0.printable, messageStyle) }
        // A long message covers the end of the body.
        let visible = body.prefix(max(0, size.rows - Self.headerHeight - 1 - messages.count))
        let gap = max(0, size.rows - Self.headerHeight - 1 - messages.count - visible.count)
        let top = [header(columns: size.columns), ""] + visible
        let footer = footer(columns: size.columns)
        let all = top + Array(repeating: "", count: gap) + messages + [footer]
        // The footer survives on a screen that is too small for everything.
        let lines = all.count > size.rows ? Array(all.prefix(size.rows - 1)) + [footer] : all
        return lines.map { $0.fitted(toColumns: size.columns) }
    }

    /// The number of lines that the message takes, 1 if there is none.
    private func messageHeight(in size: TerminalSize) -> Int { messageLines(in: size).count }

    private func messageLines(in size: TerminalSize) -> ArraySlice<String> {
        (message ?? "").wrapped(toColumns: size.columns).prefix(max(1, size.rows / 3))
    }

    private func header(columns: Int) -> StyledText {
        let room = max(0, columns - status.columns - 2)
        return StyledText(title.fitted(toColumns: room), [.bold, .cyan]) + StyledText("  " + status, .dim)
    }

    /// The keys, closer to each other if they do not fit otherwise.
    private func footer(columns: Int) -> StyledText {
        let width = keys.reduce(0) { $0 + $1.key.columns + 1 + $1.action.columns }
        let gap = String(repeating: " ", count: width + 3 * (keys.count - 1) > columns ? 2 : 3)
        return keys.reduce(StyledText("")) { line, entry in
            (line.columns == 0 ? line : line + StyledText(gap)) + StyledText(entry.key, .bold)
                + StyledText(" \(entry.action)", .dim)
        }
    }
}
