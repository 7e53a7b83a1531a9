/// Makes names that users choose fit for SQL.
enum SQLName {
    /// A name as SQL takes it, whatever it holds.
    ///
    /// Every identifier in a statement goes through this function.
    static func quoted(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "\""))
            ? "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            : "\"\(name)\""
    }

    private static let reservedPrefixes = ["sqlite_", "cabinet_", "json_", "jsonb_", "pragma_"]

    /// A name for a table or column that is like the user's name, and different from names that are taken.
    ///
    /// SQL's names ignore case and ours do not, and some prefixes are reserved: those of SQLite and Cabinet, and those of
    /// the functions that statements select from, which a table of the same name would hide. A name that cannot be used as
    /// it is gets a `$`, which no user's name contains: `name$2`, `$sqlite_x`.
    ///
    /// - Parameters:
    ///   - name: The user's name.
    ///   - isTaken: Whether a lowercased name is taken.
    static func unique(_ name: String, isTaken: (String) -> Bool) -> String {
        let lowercased = name.lowercased()
        let isReserved = name.isEmpty || reservedPrefixes.contains(where: lowercased.hasPrefix)
        let base = isReserved ? "$" + name : name
        var candidate = base
        var number = 2
        while isTaken(candidate.lowercased()) {
            candidate = "\(base)$\(number)"
            number += 1
        }
        return candidate
    }
}
