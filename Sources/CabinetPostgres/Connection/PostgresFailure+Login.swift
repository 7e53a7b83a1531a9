import Foundation

/// Failed logins, about which libpq has a text only.
extension PostgresFailure {
    /// Creates the failure of a login.
    ///
    /// - Parameters:
    ///   - text: The message of libpq. The answers of servers in it are verbose: `FATAL:  3D000: database "a" does not exist`.
    ///   - server: The address of the server, for messages.
    init(ofLogin text: String, server: String) {
        var states: [String] = []
        // The server translates its messages, and libpq only the word before the colon.
        let parts = text.components(separatedBy: "\n").filter { !$0.hasPrefix("LOCATION:  ") }.joined(separator: "\n")
            .components(separatedBy: Self.separator)
        let message = parts.enumerated().map { index, part in
            let state = part.prefix(5)
            guard index > 0, part.dropFirst(5).hasPrefix(": "),
                state.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) })
            else { return part }
            let rest = String(part.dropFirst(7))
            states.append(state == "08P01" ? Self.state(ofPooler: rest) : String(state))
            return rest
        }.joined(separator: Self.separator)
        if message.contains("no password supplied") { states.append("28P01") }
        // Of several hosts, one may soon accept the login.
        let state = states.first { ["53300", "57P03"].contains($0) } ?? states.first ?? ""
        self.init(state: state, message: message, server: server)
        isOfLogin = true
        isOfDatabasePrivilege = state == "42501" && text.contains("LOCATION:  CheckMyDatabase,")
    }

    /// The text between the severity and the rest of a server's message, which libpq's own messages do not contain.
    private static let separator = ":  "

    /// Returns whether a text of libpq has the answer of a server.
    static func isAnswer(_ text: String) -> Bool { text.contains(separator) }

    /// Returns the SQLSTATE that a message of PgBouncer deserves, which has `08P01` for most of its own.
    private static func state(ofPooler text: String) -> String {
        let states = [
            ("no more connections allowed", "53300"), ("no such database", "3D000"), ("no such user", "28000"),
            ("authentication failed", "28P01"),
        ]
        return states.first { text.hasPrefix($0.0) || text.contains(" \($0.0)") }?.1 ?? "08P01"
    }

    /// Whether libpq rejects the parameters, and has not tried to connect.
    var isOfParameters: Bool {
        state.isEmpty && isOfLogin
            && (["invalid ", "could not match "].contains(where: message.hasPrefix)
                || ["definition of service \"", "service file \""].contains(where: message.contains))
    }
}
