import Foundation

/// The name of a list or an item: never empty.
struct Name {
    let text: String

    /// Makes a name of what was typed, without the blanks around it; `nil` if nothing else is left.
    init?(_ typed: String) {
        text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
    }
}
