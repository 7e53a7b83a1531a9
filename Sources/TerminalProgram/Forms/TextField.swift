/// An editor of one line of text, with a cursor.
package struct TextField: Sendable {
    // Two texts rather than a text and an index: a typed combining mark then joins the letter before it.
    private var before: String
    private var after = ""

    /// Creates an editor; the cursor is at the end of the text.
    package init(_ text: String = "") {
        before = text
    }

    package var text: String { before + after }

    /// Edits the text if the key is an editing key.
    ///
    /// - Returns: Whether it is.
    package mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): before.append(character)
        // Line breaks would end the line in the middle of pasted text.
        case .paste(let text): before += text.split(whereSeparator: \.isNewline).joined(separator: " ")
        case .backspace: before = String(before.dropLast())
        case .delete: after = String(after.dropFirst())
        case .left: moveLeft()
        case .right: moveRight()
        case .home, .control("a"): (before, after) = ("", text)
        case .end, .control("e"): (before, after) = (text, "")
        case .control("u"): before = ""
        case .control("k"): after = ""
        case .control("w"): deleteWord()
        default: return false
        }
        return true
    }

    /// Whether the cursor is before the first letter.
    var isAtStart: Bool { before.isEmpty }

    /// Whether the cursor is behind the last letter.
    var isAtEnd: Bool { after.isEmpty }

    /// Cuts the text at the cursor, and returns an editor of the rest, with the cursor at its beginning.
    mutating func split() -> TextField {
        var rest = TextField()
        swap(&rest.after, &after)
        return rest
    }

    /// Appends the text of another editor, and leaves the cursor between the two.
    mutating func append(_ other: TextField) {
        (before, after) = (text, other.text)
    }

    private mutating func moveLeft() {
        guard let character = before.popLast() else { return }
        after = String(character) + after
    }

    private mutating func moveRight() {
        guard let character = after.first else { return }
        before.append(character)
        after = String(after.dropFirst())
    }

    private mutating func deleteWord() {
        before = before.trimmingSuffix(while: \.isWhitespace).trimmingSuffix { !$0.isWhitespace }
    }

    /// The part of the text around the cursor that fits into this many columns, and the column of the cursor.
    package func visible(columns width: Int) -> (text: String, cursor: Int) {
        let start = before.printable
        guard start.columns >= width else {
            return ((start + after.printable).truncated(toColumns: width), start.columns)
        }
        // The text moves to the left, so that the cursor stays visible.
        var shown = Substring(start)
        var columns = start.columns
        while columns > max(0, width - 2), let first = shown.popFirst() { columns -= first.columns }
        return ("…" + shown, columns + 1)
    }
}
