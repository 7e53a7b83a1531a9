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

    /// How new backends of this kind are made.
    var subject: ConformanceSubject {
        switch self {
        case .memory: .inMemory { MemoryBackend() }
        case .sqlite: .inDirectories { SQLiteBackend(directory: $0) }
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
