import Foundation

/// The name of a list or an item: never empty.
struct Name {
    let text: String

    /// The message for an empty name.
    static let blank = "A name cannot be blank."

    /// Creates a name from typed text, without leading and trailing blanks; `nil` if the rest is empty.
    init?(_ typed: String) {
        text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
    }
}
