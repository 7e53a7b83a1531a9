import Foundation

/// The search in a list of rows, which `/` begins, and on a full screen Enter keeps and Escape ends.
package struct RowSearch: Sendable {
    /// The line that is being typed; `nil` while the keys are commands.
    private var field: TextField?
    private var kept: String

    /// Creates a search; one for an empty text finds all rows.
    package init(_ text: String = "") {
        kept = text
    }

    /// The text to search for.
    private var text: String { field?.text ?? kept }

    /// Whether it can find less than all rows.
    package var isActive: Bool { text.contains { !$0.isWhitespace } }

    /// The description of the search, and the hint that changes it, for a screen of lines.
    package var lines: (status: String?, hint: String) {
        isActive ? ("Search: \(text.printable)", "/ show all") : (nil, "/ word search")
    }

    /// The number of lines that the search takes from the body.
    package var height: Int { field == nil ? 0 : 1 }

    /// Edits the search if the key is one that does so.
    ///
    /// - Returns: Whether it is.
    package mutating func handle(_ key: Key) -> Bool {
        guard var typed = field else {
            switch key {
            case .character("/"): field = TextField(kept)
            case .escape where !kept.isEmpty: kept = ""
            default: return false
            }
            return true
        }
        switch key {
        // They move the selection among the rows that were found.
        case .up, .down, .pageUp, .pageDown, .scrollUp, .scrollDown: return false
        case .escape: (field, kept) = (nil, "")
        case .enter: (field, kept) = (nil, typed.text)
        default:
            _ = typed.handle(key)
            field = typed
        }
        return true
    }

    /// Returns the rows whose text contains each typed word, without regard to case and accents.
    package func found<Row>(in rows: [Row], _ text: (Row) -> String) -> [Row] {
        let words = self.text.split(whereSeparator: \.isWhitespace)
        if words.isEmpty { return rows }
        return rows.filter { row in
            let text = text(row)
            return words.allSatisfy { text.localizedStandardContains($0) }
        }
    }

    /// Adds the search to a page: the line that is being typed, or the text that was.
    package func show(on page: inout Page, in size: TerminalSize) {
        if let field {
            page.ask("Search:", field, in: size)
        } else if !kept.isEmpty {
            page.status = "'\(kept.printable.truncated(toColumns: 20))' \(page.status)"
        }
    }
}
