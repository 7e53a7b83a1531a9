import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

/// A kind of backend that the rules are run on.
enum BackendKind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite = "SQLite"

    var testDescription: String { rawValue }

    /// Runs a rule on a new backend of this kind.
    func run(_ rule: ConformanceRule) async throws {
        switch self {
        case .memory:
            try await rule.run { MemoryBackend() }
        case .sqlite:
            try await TemporaryDirectory.with { directory in
                let open: @Sendable () async throws -> any StorageBackend = {
                    SQLiteBackend(directory: directory)
                }
                try await rule.run(reopening: open, open)
            }
        }
    }
}

/// A directory that is removed when a test is done with it.
enum TemporaryDirectory {
    static func with(_ body: (URL) async throws -> Void) async throws {
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
