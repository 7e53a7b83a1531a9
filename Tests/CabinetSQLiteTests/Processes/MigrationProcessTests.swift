import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

/// Migrations in processes that are killed.
@Suite struct MigrationProcessTests {
    private static let count = 2_000

    @Test("A migration that is killed goes on, and two processes do nothing twice", arguments: 0..<3)
    func kills(seed: UInt64) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        var random = SeededGenerator(seed: seed)
        let all = Set(MigrationWorkload.migrations.map(\.name))
        let before = try database(SQLiteBackend(directory: directory))
        try await MigrationWorkload.fill(before.database, count: Self.count)
        await before.container.close()

        var killCount = 0
        while true {
            let processes = try (0..<2).map { _ in try SavingProcess([directory.path, "migrate", "all"]) }
            // Each part of a migration is a line.
            var lines = Int.random(in: 1...3, using: &random)
            while lines > 0 {
                let data = processes[0].availableOutput()
                if data.isEmpty { break }
                lines -= data.count { $0 == UInt8(ascii: "\n") }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...3_000, using: &random)))
            for process in processes { process.kill() }
            for process in processes { _ = process.finish() }
            let opened = try database(SQLiteBackend(directory: directory))
            let completed = try await opened.database.completedMigrations()
            await opened.container.close()
            if completed == all { break }
            killCount += 1
        }
        // A busy machine may end the migration before the test has read that it began.
        #expect(killCount > 0)

        let expected = try await Self.expected.value
        let after = try database(SQLiteBackend(directory: directory))
        let found = try await MigrationWorkload.content(of: after.database)
        #expect(found.count == Self.count)
        #expect(found == expected.content)
        #expect(try await after.database.schema() == expected.schema)
        await after.container.close()
    }

    /// The records and the schema after the migrations, in memory.
    private static let expected = Task {
        let database = try Self.database(MemoryBackend()).database
        try await MigrationWorkload.fill(database, count: count)
        try await database.migrate(MigrationWorkload.migrations)
        return (content: try await MigrationWorkload.content(of: database), schema: try await database.schema())
    }

    private func database(_ backend: any StorageBackend) throws -> (container: Container, database: Database) {
        try Self.database(backend)
    }

    private static func database(_ backend: any StorageBackend) throws -> (container: Container, database: Database) {
        let container = try Container(identifier: MigrationWorkload.identifier, backend: backend)
        return (container, container.privateDatabase)
    }
}
