import SQLSupport

extension SQLName {
    /// The length in bytes to which PostgreSQL truncates names, with only a notice.
    static let maximumLength = 63

    /// The columns that every table has, whose names a field cannot have.
    private static let systemColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid"]
    private static let reservedPrefixes = ["cabinet_", "pg_"]

    /// The room for a suffix: a dot and the name of a part, such as `.action`, or a `$` and a number.
    private static let room = 13

    /// Returns a name that a table or column can have for a user's name, with room for a suffix.
    ///
    /// A reserved name is preceded by a `$`, and a name that is too long is truncated before a `$`.
    static func unreserved(_ name: String) -> String {
        let lowercased = name.lowercased()
        let isReserved =
            name.isEmpty || systemColumns.contains(lowercased) || reservedPrefixes.contains(where: lowercased.hasPrefix)
        let base = isReserved ? "$" + name : name
        guard base.utf8.count > maximumLength - room else { return base }
        var length = 0
        let prefix = base.prefix { character in
            length += character.utf8.count
            return length < maximumLength - room
        }
        return prefix + "$"
    }

    /// Returns a short digest of a text, the same in every process, for names that would otherwise be too long.
    static func digest(_ text: String) -> String { String(hash(text), radix: 16) }

    /// Returns the number that ``digest(_:)`` writes: FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
