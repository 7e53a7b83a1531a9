package import Foundation

/// The location of a store: a folder of this machine, or a database or server that many machines can use at once.
package enum StoreLocation: Sendable, CustomStringConvertible {
    case folder(URL)
    case server(ServerURL)
    case remote(RemoteURL)
    /// A server of CloudKit Web Services; `nil` for Apple's.
    case cloudKit(RemoteURL?)

    private static let iCloud = "icloud://"
    private static let cloudKit = "cloudkit+"

    /// Reads the argument that names a store.
    package init(_ text: String) throws(CommandError) {
        if text.isEmpty {
            throw .usage("The name of a store is empty. It is a folder, or the URL of a server.")
        } else if let server = ServerURL(text) {
            self = .server(server)
        } else if let server = try RemoteURL(text) {
            self = .remote(server)
        } else if text.lowercased() == Self.iCloud {
            self = .cloudKit(nil)
        } else if text.hasPrefix(Self.cloudKit), let server = try RemoteURL(String(text.dropFirst(Self.cloudKit.count)))
        {
            self = .cloudKit(server)
        } else if text.contains("://") {
            // Not shown: it may contain a password.
            throw .usage(
                "A store is a folder, icloud://, or a URL that begins with postgresql://, https://, http:// or cloudkit+https://."
            )
        } else if Self.isParameterList(text) {
            // Not shown either, and no folder: its name would have the password.
            throw .usage(
                "A store on a PostgreSQL server is a URL: postgresql://USER@HOST/DATABASE. A folder with such a name is ./NAME."
            )
        } else {
            self = .folder(URL(filePath: text, directoryHint: .isDirectory))
        }
    }

    /// Whether a text is a list of the parameters of PostgreSQL's own library, such as `host=localhost dbname=notes`.
    private static func isParameterList(_ text: String) -> Bool {
        let parts = text.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let keys: Set = ["host", "hostaddr", "port", "dbname", "user", "password", "service"]
        return parts.count == 2 && keys.contains(String(parts[0]).trimmingCharacters(in: .whitespaces))
    }

    /// The same for every spelling, and without credentials.
    package var description: String {
        switch self {
        case .folder(let folder): folder.standardizedFileURL.path
        case .server(let server): server.description
        case .remote(let server): server.description
        case .cloudKit(let server): server.map { Self.cloudKit + $0.description } ?? Self.iCloud
        }
    }
}
