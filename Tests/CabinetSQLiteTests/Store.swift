import CSQLite
import Cabinet
import Foundation
import SQLSupport
import StorageTestSupport

@testable import CabinetSQLite

/// A store in a temporary directory, which is removed with it.
final class Store: Sendable {
    let directory: URL
    let backend: SQLiteBackend

    init(_ configuration: SQLiteConfiguration = SQLiteConfiguration(), in directory: URL? = nil) {
        self.directory =
            directory
            ?? FileManager.default.temporaryDirectory.appendingPathComponent(
                "cabinet-\(UUID().uuidString)", isDirectory: true)
        backend = SQLiteBackend(directory: self.directory, configuration: configuration)
    }

    deinit {
        // The backend is being closed at the same time, and removes files too; a second attempt removes files that the
        // first one misses.
        for _ in 0..<20 {
            try? FileManager.default.removeItem(at: directory)
            if !FileManager.default.fileExists(atPath: directory.path) { return }
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    /// The path of the file of the public database.
    var path: String { directory.appendingPathComponent("public.sqlite").path }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Creates a store whose public database has only its tables.
    func create() async throws {
        _ = try await backend.write(.public) { try await $0.reserveSequenceNumbers(1) }
    }

    /// Saves records as Cabinet's core does: the schema first, then the records with new sequence numbers.
    @discardableResult
    func insert(_ records: [StoredRecord], in database: DatabaseKey = .public) async throws -> [StoredRecord] {
        try await backend.write(database) { try await $0.insertWithSchema(records) }
    }

    func record(_ id: RecordID, in database: DatabaseKey = .public) async throws -> StoredRecord? {
        try await backend.read(database) { try await $0.records(for: [id], keys: nil)[0] }
    }

    /// The text of an entry of the public database, as another program sees it.
    func entry(_ key: String) throws -> String? {
        try sql("SELECT value FROM cabinet_entry WHERE key = '\(key)'").first?[0]
    }

    /// The content of the file, as another program sees it: the rows' columns as text, `nil` for NULL.
    @discardableResult
    func sql(_ sql: String, path: String? = nil) throws -> [[String?]] {
        let handle = try DatabaseHandle(path: path ?? self.path, creates: false)
        let waiting = BusyHandler(timeout: .seconds(10))
        waiting.install(on: handle)
        defer { withExtendedLifetime(waiting) { _ = sqlite3_busy_handler(handle.pointer, nil, nil) } }
        let statement = try Statement(sql, on: handle)
        var rows: [[String?]] = []
        while try statement.step() {
            rows.append(
                (0..<sqlite3_column_count(statement.pointer)).map { column in
                    statement.kind(column) == SQLITE_NULL
                        ? nil : String(decoding: statement.utf8(column), as: UTF8.self)
                })
        }
        return rows
    }
}
