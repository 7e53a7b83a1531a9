import Foundation
import ProgramTestSupport
import Testing

/// SQLite's own shell.
enum SQLiteShell {
    /// The database files in a folder.
    static func files(in folder: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The shell's output for some SQL, on the one file in a store's folder.
    static func output(_ sql: String, on store: ShoppingList) async throws -> [String] {
        let files = try files(in: store.store)
        try #require(files.count == 1)
        let outcome = try await Program.installed("sqlite3").run(["-readonly", files[0], sql], in: store.folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.lines
    }
}
