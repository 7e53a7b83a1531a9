/// The URL of a PostgreSQL database, which may hold a password: only where the database is can be shown.
package struct ServerURL: Sendable, CustomStringConvertible {
    /// The URL as it was given, for nobody but the server.
    package let text: String

    /// Where the database is: its machine and its name, without the user, the password and all else that a connection needs.
    package let description: String

    /// Reads a URL; `nil` if it is none of a PostgreSQL database.
    ///
    /// It is cut where PostgreSQL's own library cuts it. Whether it is right is for that to say.
    init?(_ text: String) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
        var rest = text.dropFirst(scheme.count)
        var user: Substring = ""
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            user = rest[..<end].prefix { $0 != ":" }
            rest = rest[rest.index(after: end)...]
        }
        let place = rest.prefix { $0 != "?" }
        let parts = place.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // What is before another @ is a password that was not encoded.
        let machine = parts[0].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let database = parts.count == 2 ? parts[1] : ""
        let parameters = rest.dropFirst(place.count + 1).split(separator: "&").filter { parameter in
            ["host", "hostaddr", "port", "dbname"].contains(parameter.prefix { $0 != "=" })
        }
        self.text = text
        // A database that is not named is the user's.
        description =
            "postgresql://\(machine)/\(database.isEmpty ? user : database)"
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    /// A name for a file or a folder that belongs to the database.
    package var fileName: String {
        let readable = description.dropFirst("postgresql://".count).map { character in
            character.isASCII && (character.isLetter || character.isNumber || character == ".") ? character : "-"
        }
        // FNV-1a, which tells apart what reads the same.
        let hash = description.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(readable.prefix(80)) + "-" + String(hash, radix: 16)
    }
}
