import SQLSupport

extension SQLName {
    /// The most bytes that PostgreSQL keeps of a name; it truncates longer ones with no more than a notice.
    static let maximumLength = 63

    /// The columns that every table has, whose names no field can have.
    private static let systemColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid"]
    private static let reservedPrefixes = ["cabinet_", "pg_"]

    /// Room for a suffix: a dot and the name of a part, such as `.action`, or a `$` and a number.
    private static let room = 13

    /// A user's name as a table or column can have it, with room for a suffix.
    ///
    /// A name that is reserved is preceded by a `$`, and one that is too long is cut off before a `$`.
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

    /// A short number for a text, the same in every process; for names that are made of too much to be written out.
    static func digest(_ text: String) -> String { String(hash(text), radix: 16) }

    /// The number that ``digest(_:)`` writes: FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
