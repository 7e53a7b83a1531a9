package import Cabinet

/// Escapes names that users choose for use in SQL.
package enum SQLName {
    /// Throws if no identifier can be a name.
    package static func check(_ name: String) throws(CabinetError) {
        if name.utf8.contains(0) {
            throw CabinetError(
                .invalidArguments, "The name \(name.debugDescription) contains a NUL character. Remove it.")
        }
    }

    /// Returns a name as an SQL identifier.
    ///
    /// Every identifier in a statement goes through this function.
    package static func quoted(_ name: String) -> String { delimited(name, by: "\"") }

    /// Returns a text as an SQL literal, for statements that cannot have parameters.
    package static func literal(_ text: String) -> String { delimited(text, by: "'") }

    /// Doubles each mark as a scalar, because one beside a combining mark is a part of another `Character`.
    private static func delimited(_ text: String, by mark: Unicode.Scalar) -> String {
        var delimited = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            if scalar == mark { delimited.append(mark) }
            delimited.append(scalar)
        }
        delimited.append(mark)
        return String(delimited)
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
