import Cabinet
import Foundation
import JSONLinesBackend

/// A file in a folder of its own, which is removed with this object.
final class TemporaryFile: Sendable {
    let url: URL

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("store.jsonl")
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    var text: String {
        get throws { try String(contentsOf: url, encoding: .utf8) }
    }

    var lines: [Substring] {
        get throws { try text.split(separator: "\n") }
    }

    /// Opens the file, lets a closure use its private database, and closes it.
    func withDatabase<Result: Sendable>(
        _ body: (JSONLinesBackend, Database) async throws -> Result
    ) async throws -> Result {
        let backend = try await JSONLinesBackend(file: url)
        let container = try Container(identifier: "com.example.shopping", backend: backend)
        do {
            let result = try await body(backend, container.privateDatabase)
            await backend.close()
            return result
        } catch {
            await backend.close()
            throw error
        }
    }
}
