/// The URL of a PostgreSQL database, which may contain a password: only the location of the database can be shown.
package struct ServerURL: Sendable, CustomStringConvertible {
    /// The original URL, for the server alone.
    package let text: String

    /// The location of the database: its machine and its name, without the user, the password and other parameters.
    package let description: String

    /// Reads a URL; `nil` if it is not the URL of a PostgreSQL database.
    ///
    /// The parts are those that PostgreSQL's own library sees, which also validates them.
    init?(_ text: String) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
        var rest = text.dropFirst(scheme.count)
        var user: Substring = ""
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            user = rest[..<end].prefix { $0 != ":" }
            rest = rest[rest.index(after: end)...]
        }
        let place = rest.prefix { $0 != "?" }
        let parameters = rest.dropFirst(place.count + 1).split(separator: "&").filter { parameter in
            ["host", "hostaddr", "port", "dbname"].contains(parameter.prefix { $0 != "=" })
        }
        // An @ here belongs to a password that was not encoded, and so does a port that is not a number.
        let location = place.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let parts = location.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let (machine, database) = (parts.first ?? "", parts.count == 2 ? parts[1] : "")
        let ports = machine.split(separator: ",").map { host in
            host[(host.lastIndex(of: "]") ?? host.startIndex)...].drop { $0 != ":" }.dropFirst()
        }
        self.text = text
        guard ports.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }) else {
            description = "postgresql://…"
            return
        }
        // The default database is named after the user.
        description =
            "postgresql://\(machine)/\(database.isEmpty ? user : database)"
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}
