import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The tokens and tags of a lost future, after an older state of the tables was restored.
@Suite(.timeLimit(.minutes(15))) struct RestoreTests {
    /// The values that a client stores.
    private struct Kept {
        var zoneTokens: [ServerChangeToken]
        var databaseToken: ServerChangeToken
        var notificationToken: NotificationToken
        var milk: Record
    }

    private func backend(_ connection: String, _ configuration: PostgresConfiguration) throws -> PostgresBackend {
        try PostgresBackend(connection: connection, configuration: configuration)
    }

    private func container(_ backend: PostgresBackend) throws -> Container {
        try Container(identifier: "com.example.restore", backend: backend)
    }

    /// Saves the records of one life of the tables, and returns the client's values.
    @discardableResult
    private func live(_ backend: PostgresBackend, saves count: Int, life: String) async throws -> Kept {
        let container = try container(backend)
        let database = container.privateDatabase
        let id = RecordID(recordName: "milk")
        var milk = try await database.records(for: [id])[id]?.success ?? Record(recordType: "Items", recordID: id)
        for number in 0..<count {
            try await database.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "\(life)-\(number)-\(UUID())")))
        }
        milk["number"] = count
        milk = try await database.save(milk)
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil, resultsLimit: 1)
        let all = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let saved = try await database.modifyRecords(saving: [], deleting: [], inZoneWith: .default)
        return Kept(
            zoneTokens: [all.changeToken, page.changeToken, saved.changeToken],
            databaseToken: try await database.databaseChanges(since: nil).changeToken,
            notificationToken: try await container.fetchNotifications(since: nil).token, milk: milk)
    }

    private func expectExpired(_ kept: Kept, in backend: PostgresBackend, _ comment: Comment) async throws {
        let container = try container(backend)
        let database = container.privateDatabase
        func expect(_ body: () async throws -> Void) async {
            let error = await #expect(throws: CabinetError.self, comment) { try await body() }
            #expect(error?.code == .changeTokenExpired, comment)
        }
        for token in kept.zoneTokens {
            await expect { _ = try await database.recordZoneChanges(inZoneWith: .default, since: token) }
        }
        await expect { _ = try await database.databaseChanges(since: kept.databaseToken) }
        await expect { _ = try await container.fetchNotifications(since: kept.notificationToken) }
    }

    /// The expected state after tables with `known` as their newest records were restored, and `lost` was lost.
    private func check(_ backend: PostgresBackend, known: Kept, lost: Kept, saves: Int) async throws {
        let database = try container(backend).privateDatabase
        try await expectExpired(lost, in: backend, "before the first write")
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[0])
        #expect(page.modificationResultsByID.isEmpty && page.deletions.isEmpty)
        for saves in [saves, 2] {
            try await live(backend, saves: saves, life: "new\(saves)")
            try await expectExpired(lost, in: backend, "after \(saves) saves")
        }
        let error = await #expect(throws: CabinetError.self) { try await database.save(lost.milk) }
        #expect(error?.code == .serverRecordChanged)
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[0])
        #expect(changes.modificationResultsByID.count == saves + 3)
    }

    @Test("A base backup that is put back is recognized, with and without a timeline of PostgreSQL's")
    func baseBackup() async throws {
        let server = try await PostgresServer(isDurable: true)
        let configuration = Stores.configuration()
        let backend = try backend(server.connection(), configuration)
        for isRecovery in [true, false] {
            let known = try await live(backend, saves: 2, life: "first-\(isRecovery)")
            try await server.backUp()
            let lost = try await live(backend, saves: 3, life: "lost-\(isRecovery)")
            // The backend stays open, with its knowledge of the lost future.
            try await server.restoreBackup(isRecovery: isRecovery)
            try await check(backend, known: known, lost: lost, saves: 3)
        }
        await backend.close()
    }

    @Test("A restart expires nothing, and begins one timeline for each database that is written to")
    func restart() async throws {
        let server = try await PostgresServer(isDurable: true)
        let configuration = Stores.configuration()
        let backend = try backend(server.connection(), configuration)
        let known = try await live(backend, saves: 2, life: "first")
        try await server.restart(.immediate)
        let other = try self.backend(server.connection(), configuration)
        try await live(backend, saves: 1, life: "second")
        try await live(other, saves: 1, life: "third")
        let database = try container(other).privateDatabase
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[0])
        #expect(changes.modificationResultsByID.count == 3)
        let connection = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let found = try connection.query(
            "SELECT count(*) FROM \"\(configuration.schema)\".cabinet_entry WHERE key LIKE 'timeline/%'")
        #expect(found.first?.integer(0) == 2)
        await backend.close()
        await other.close()
    }

    @Test("A restored dump is recognized, in the same database and in another one")
    func dump() async throws {
        let server = try await PostgresServer.shared.value
        let configuration = Stores.configuration()
        let schema = configuration.schema
        let file = FileManager.default.temporaryDirectory.appending(path: "\(schema).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        let first = try backend(server.connection(), configuration)
        let known = try await live(first, saves: 2, life: "first")
        try await server.run("pg_dump", ["-n", schema, "-f", file.path, "postgres"])
        let lost = try await live(first, saves: 3, life: "lost")
        await first.close()

        try await server.run("psql", ["-q", "-c", "DROP SCHEMA \"\(schema)\" CASCADE", "postgres"])
        try await server.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-f", file.path, "postgres"])
        let second = try backend(server.connection(), configuration)
        try await check(second, known: known, lost: lost, saves: 3)
        await second.close()

        let connection = try await server.newDatabase()
        let name = try #require(connection.split(separator: "/").last)
        try await server.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-f", file.path, String(name)])
        let third = try backend(connection, configuration)
        try await check(third, known: known, lost: lost, saves: 3)
        await third.close()
    }
}

extension Result {
    fileprivate var success: Success? { try? get() }
}
