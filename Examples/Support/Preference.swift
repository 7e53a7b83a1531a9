package import Cabinet
package import TerminalProgram

/// The side whose value a person keeps if both have changed a field.
package enum Preference: Character {
    case mine = "m"
    case theirs = "t"

    /// The keys of both sides, and their effects.
    package static let choices: [(key: Character, action: String)] = [("m", "keep mine"), ("t", "take theirs")]
}

/// A person's decisions about fields that both sides have changed.
///
/// The person is asked again about a value that is newer than the decision.
package typealias Decisions = [FieldConflict: Preference]

extension Console {
    /// Asks which of two values to keep.
    ///
    /// - Returns: The side, or `nil` if the person goes back to the questions.
    package func choosePreference() async throws(EndOfInput) -> Preference? {
        while true {
            let typed = try await ask("m keep mine, t take theirs, . to change it again:").lowercased()
            if typed == "." { return nil }
            if typed.count == 1, let preference = typed.first.flatMap(Preference.init) { return preference }
        }
    }
}
