import Cabinet
import CabinetSQLite
import Foundation

/// The store that the environment variable `CABINET_STORE` names.
enum StoreSetting: Equatable {
    /// A folder, with a folder in it for each container.
    case folder(URL)
    /// Memory, because the variable is not set.
    case memory
    /// A text that names no store that this module can open.
    case unknown(String)

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
        } else {
            self = .unknown(text)
        }
    }

    /// Returns a closure that opens the stores of containers.
    var makeBackend: ContainerRegistry.Factory {
        switch self {
        case .folder(let folder):
            return { SQLiteBackend(directory: folder.appendingPathComponent($0, isDirectory: true)) }
        case .memory:
            FileHandle.standardError.write(
                Data("CloudKit: records are kept in memory. Set \(Self.variable) to a folder to keep them.\n".utf8))
            return { _ in MemoryBackend() }
        case .unknown(let text):
            let scheme = text.prefix { $0 != ":" }
            return { _ in
                // The rest of the text may contain a password.
                throw CabinetError(
                    .badContainer,
                    "\(Self.variable) begins with '\(scheme):', and this module opens folders alone. "
                        + "For a PostgreSQL server, call CabinetCloudKit.use(PostgresBackend(…)) when the program starts."
                )
            }
        }
    }
}
