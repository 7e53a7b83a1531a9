/// Makes names that users choose fit for SQL.
enum SQLName {
    /// The most bytes that PostgreSQL keeps of a name; it cuts longer ones off, with no more than a notice.
    static let maximumLength = 63

    /// A name as SQL takes it, whatever it holds.
    ///
    /// Every identifier in a statement goes through this function.
    static func quoted(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "\""))
            ? "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            : "\"\(name)\""
    }

    /// A text as SQL takes it, for the few statements that cannot have parameters.
    static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// What every table has, and no field can be called.
    private static let systemColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid"]
    private static let reservedPrefixes = ["cabinet_", "pg_"]

    /// Room for what is put behind a name: a dot and the name of a part, such as `.action`, or a `$` and a number.
    private static let room = 13

    /// A name for a table or column that is like the user's name, and different from names that are taken.
    ///
    /// Quoted names keep their case, but people write them without quotes in a shell, so names that differ only in case are kept
    /// apart. A name that cannot be used as it is gets a `$`, which no user's name contains: `name$2`, `$cabinet_x`, and one that
    /// is too long is cut off: `aVeryLongName$`.
    ///
    /// - Parameters:
    ///   - name: The user's name.
    ///   - isTaken: Whether a lowercased name is taken.
    static func unique(_ name: String, isTaken: (String) -> Bool) -> String {
        let lowercased = name.lowercased()
        let isReserved =
            name.isEmpty || systemColumns.contains(lowercased) || reservedPrefixes.contains(where: lowercased.hasPrefix)
        var base = isReserved ? "$" + name : name
        if base.utf8.count > maximumLength - room {
            var length = 0
            base = String(
                base.prefix { character in
                    length += character.utf8.count
                    return length < maximumLength - room
                })
            base += "$"
        }
        var candidate = base
        var number = 2
        while isTaken(candidate.lowercased()) {
            candidate = "\(base)$\(number)"
            number += 1
        }
        return candidate
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
