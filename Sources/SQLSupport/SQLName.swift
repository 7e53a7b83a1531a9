/// Escapes names that users choose for use in SQL.
package enum SQLName {
    /// Returns a name as an SQL identifier.
    ///
    /// Every identifier in a statement goes through this function.
    package static func quoted(_ name: String) -> String { delimited(name, by: "\"") }

    /// Returns a text as an SQL literal, for statements that cannot have parameters.
    package static func literal(_ text: String) -> String { delimited(text, by: "'") }

    private static func delimited(_ text: String, by mark: Character) -> String {
        guard text.utf8.contains(mark.asciiValue ?? 0) else { return "\(mark)\(text)\(mark)" }
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        return "\(mark)\(parts.joined(separator: "\(mark)\(mark)"))\(mark)"
    }

    /// Returns the first available name of `name`, `name$2`, `name$3`, ….
    ///
    /// No user's name contains a `$`.
    ///
    /// - Parameter isTaken: Whether a lowercased name is taken. SQL ignores case, but the filter language does not.
    package static func unique(_ name: String, isTaken: (String) throws -> Bool) rethrows -> String {
        var candidate = name
        var number = 2
        while try isTaken(candidate.lowercased()) {
            candidate = "\(name)$\(number)"
            number += 1
        }
        return candidate
    }
}
