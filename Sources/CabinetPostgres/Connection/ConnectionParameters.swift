import CPostgreSQL
import Cabinet

/// What libpq is told to connect with: a URI or a connection string, which may hold a password.
///
/// Nothing shows what is in it: it has no description and no mirror that tells, and messages go through ``redacted(_:)``.
struct ConnectionParameters: Sendable {
    /// What the user has given.
    let text: String
    /// The values that nobody may see.
    private let secrets: [String]

    /// Keywords whose values are secrets.
    private static let secretKeywords: Set = ["password", "sslpassword", "passfile", "sslkey"]

    /// Reads a connection string.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if libpq cannot read it. The message quotes nothing of it.
    init(_ text: String) throws {
        self.text = text
        if text.utf8.contains(0) { throw Self.unreadable }
        guard let options = PQconninfoParse(text, nil) else { throw Self.unreadable }
        defer { PQconninfoFree(options) }
        var secrets: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, Self.secretKeywords.contains(String(cString: keyword)) {
                secrets.append(String(cString: value))
            }
            option += 1
        }
        // A longer one first: it may contain another.
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// A message without the secrets.
    func redacted(_ message: String) -> String {
        secrets.reduce(message) { message, secret in
            message.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
        }
    }

    private static var unreadable: CabinetError {
        CabinetError(
            .badContainer,
            "The connection string cannot be read; expected a URI such as postgresql://user@host:5432/database, in which "
                + "special characters of a password are percent-encoded, or keywords such as 'host=… dbname=…'. "
                + "It is not shown here, because it may hold a password.")
    }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "a PostgreSQL server" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
