import CPostgreSQL
import Cabinet

/// The parameters of a connection for libpq: a URI or a connection string, which may hold a password.
///
/// The type exposes no secrets: it has no description and an empty mirror, and messages go through ``redacted(_:)``.
struct ConnectionParameters: Sendable {
    /// The user's connection string.
    let text: String
    /// The values that must not be shown.
    private let secrets: [String]

    /// The keywords whose values are secret.
    private static let secretKeywords: Set = ["password", "sslpassword", "passfile", "sslkey"]

    /// Parses a connection string.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if libpq cannot parse it, or reads a part of the password as
    ///   another value. The message does not quote it.
    init(_ text: String) throws {
        self.text = text
        if text.utf8.contains(0) { throw Self.unreadable }
        guard let options = PQconninfoParse(text, nil) else { throw Self.unreadable }
        defer { PQconninfoFree(options) }
        let isURI = ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
        var secrets: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val.map({ String(cString: $0) }) {
                let keyword = String(cString: keyword)
                if Self.secretKeywords.contains(keyword) { secrets.append(value) }
                if isURI, Self.isOfPassword(value, keyword) { throw Self.unreadable }
            }
            option += 1
        }
        // Replace longer secrets first, because they may contain shorter ones.
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Whether the value of a keyword in a URI has a part of a password with an unencoded `/` or `@`, which messages would show.
    private static func isOfPassword(_ value: String, _ keyword: String) -> Bool {
        switch keyword {
        case "host", "hostaddr", "dbname": value.utf8.contains(UInt8(ascii: "@"))
        case "port": !value.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ",") }
        default: false
        }
    }

    /// Returns a message without the secrets.
    func redacted(_ message: String) -> String {
        secrets.reduce(message) { message, secret in
            // By scalars: beside a mark, the end of a secret would be a part of another letter.
            let parts = message.unicodeScalars.split(separator: secret.unicodeScalars, omittingEmptySubsequences: false)
            return parts.map { String($0) }.joined(separator: "…")
        }
    }

    private static var unreadable: CabinetError {
        CabinetError(
            .badContainer,
            "The connection string is invalid. Use a URI such as postgresql://user@host:5432/database, with the "
                + "special characters of a password percent-encoded, or keywords such as 'host=… dbname=…'. "
                + "The string is not shown here, because it may hold a password.")
    }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "a PostgreSQL server" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
