import Foundation

/// A note as a person enters it.
struct Draft: Sendable {
    var title = ""
    var text = ""
    var picture = PictureChoice.unchanged

    /// The draft of a new note.
    init() {}

    /// The draft that changes a note, filled from it.
    init(_ note: Note) {
        title = note.title
        text = note.text
    }

    /// The missing ones among the two required parts; `nil` if none is missing.
    var missing: String? {
        switch (title.isBlank, text.isBlank) {
        case (true, true): "A note needs a title and a text, and both are missing."
        case (true, false): "A note needs a title, which is missing."
        case (false, true): "A note needs a text, which is missing."
        case (false, false): nil
        }
    }
}

extension String {
    /// Whether the text has no visible characters.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// The text without leading and trailing blanks.
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
