import Cabinet
package import CabinetConformance
package import CabinetPostgres
import CabinetSQLite
package import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

/// A kind of backend that the rules run on.
package enum BackendKind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    /// The kinds that every rule runs on here; PostgreSQL's own tests run the rules on PostgreSQL.
    package static let local: [Self] = [.memory, .sqlite]

    package var testDescription: String { rawValue }

    /// Creates new backends of this kind.
    package var subject: ConformanceSubject {
        switch self {
        case .memory: .inMemory { MemoryBackend() }
        case .sqlite:
            if let executable = SavingProcess.executable {
                .inDirectories { SQLiteBackend(directory: $0) }.withHelper(executable, arguments: ["sqlite:"])
            } else {
                .inDirectories { SQLiteBackend(directory: $0) }
            }
        case .postgres:
            .named {
                try await Self.onServer($0)
            } removing: { _ in
            }
        }
    }

    /// A backend on the tests' server.
    ///
    /// Its store is removed with the server.
    package static func onServer(_ store: String = "test-\(UUID().uuidString)") async throws -> PostgresBackend {
        try PostgresBackend(
            connection: try await PostgresServer.shared.value.connection(),
            configuration: PostgresConfiguration(schema: store, maximumConnections: 4))
    }
}

/// A directory that is removed when a test is done with it.
package enum TestDirectory {
    package static func with(_ body: (URL) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        do {
            try await body(url)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
        try FileManager.default.removeItem(at: url)
    }
}
