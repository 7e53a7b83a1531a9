import Cabinet
import CabinetRemote
import CabinetSQLite
import Foundation

/// The store that the environment variable `CABINET_STORE` names.
enum StoreSetting: Equatable {
    /// A folder, with a folder in it for each container.
    case folder(URL)
    /// Memory, because the variable is not set.
    case memory
    /// A server of Cabinet.
    case server(URL)
    /// A location with a scheme, which a program registers.
    case location(String)

    static let variable = "CABINET_STORE"

    /// The setting of the process.
    static var process: StoreSetting { StoreSetting(ProcessInfo.processInfo.environment[variable]) }

    /// Reads a setting.
    init(_ text: String?) {
        guard let text, !text.isEmpty else {
            self = .memory
            return
        }
        guard let scheme = text.firstRange(of: "://") else {
            self = .folder(URL(fileURLWithPath: text, isDirectory: true))
            return
        }
        if text[..<scheme.lowerBound] == "file", let url = URL(string: text) {
            self = .folder(url)
        } else if ["http", "https"].contains(text[..<scheme.lowerBound].lowercased()), let url = URL(string: text) {
            self = .server(url)
        } else {
            self = .location(text)
        }
    }

    /// Returns a closure that opens the stores of containers.
    var makeBackend: ContainerRegistry.Factory { factory(.shared) }

    /// Returns a closure that opens the stores of containers.
    func factory(_ schemes: StoreSchemes) -> ContainerRegistry.Factory {
        switch self {
        case .folder(let folder):
            return {
                let backend = SQLiteBackend(directory: folder.appendingPathComponent($0, isDirectory: true))
                return try Container($0, over: backend, $1)
            }
        case .memory:
            FileHandle.writeWarning(
                "CloudKit: records are kept in memory. Set \(Self.variable) to a folder to keep them.")
            return { try Container($0, over: MemoryBackend(), $1) }
        case .server(let server):
            // The server decides about users, schemas and limits.
            return {
                try Container(identifier: $0, server: server, credentials: Credentials(), deviceID: $1.deviceID)
            }
        case .location(let text):
            let scheme = text.prefix { $0 != ":" }
            return {
                if let store = try schemes.store(at: text) { return try Container($0, over: store, $1) }
                // The rest of the text may contain a password.
                throw CabinetError(
                    .badContainer,
                    "\(Self.variable) begins with '\(scheme):', and the program has not registered that scheme. "
                        + "For a PostgreSQL server, import CabinetPostgres, and call CabinetCloudKit.registerStore(schemes: "
                        + "[\"postgres\", \"postgresql\"]) { try PostgresBackend(connection: $0) } when the program starts."
                )
            }
        }
    }
}

extension FileHandle {
    /// Writes a line to standard error; a closed stream is ignored.
    static func writeWarning(_ line: String) {
        try? standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
