import Foundation

/// The name of a list or an item: never empty.
struct Name {
    let text: String

    /// What to say about a name that is empty.
    static let blank = "A name cannot be blank."

    /// Creates a name from what was typed, without the blanks around it; `nil` if nothing else is left.
    init?(_ typed: String) {
        text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
    }
}
