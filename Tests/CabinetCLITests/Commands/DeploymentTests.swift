import Cabinet
import CabinetRemote
import CabinetWire
import Foundation
import PostgresTestSupport
import ProgramTestSupport
import Testing

/// Servers in production, while other processes deploy to their store.
@Suite("A deployment beside running servers")
struct DeploymentTests {
    enum Store: String, CaseIterable, Sendable { case SQLite, PostgreSQL }

    private static let identifier = "com.example.notes"

    @Test("reaches each of them and its dashboard, without a restart", arguments: Store.allCases)
    func processes(_ kind: Store) async throws {
        let folder = try TemporaryFolder()
        let store = kind == .PostgreSQL ? try await PostgresServer.shared.value.newDatabase() : folder.path("store")
        let program = try Program.built("cabinet")
        func cabinet(_ words: String...) async throws -> String {
            let outcome = try await program.run(words + ["--store", store], in: folder)
            try #require(outcome.status == 0, "\(words): \(outcome.errors)")
            return outcome.output
        }
        func deploy(_ fields: String) async throws {
            let file = try folder.write("DEFINE SCHEMA RECORD TYPE Notes (\(fields));", to: "notes.ckdb")
            _ = try await cabinet("schema", "deploy", file, "--database", "public")
        }
        try await deploy("title STRING")
        let user = try await cabinet("users", "add", "ann").filter { !$0.isWhitespace }
        let token = try await cabinet("users", "sign-in", "ann").filter { !$0.isWhitespace }
        var containers: [Container] = []
        var servers: [ServingProgram] = []
        for _ in 0..<2 {
            let server = try await ServingProgram(
                store: store, ["--container", Self.identifier, "--environment", "production"], in: folder)
            servers.append(server)
            containers.append(
                try Container(
                    identifier: Self.identifier, server: server.url, credentials: .bearer(token, userRecordName: user),
                    environment: .production))
        }
        for container in containers {
            for database in [container.privateDatabase, container.publicDatabase] {
                try await database.save(note(["title": "A note"]))
                await #expect(throws: CabinetError.self) { try await database.save(note(["due": "today"])) }
            }
        }
        // Another process deploys, and each running server takes what it has deployed.
        try await deploy("title STRING, due STRING QUERYABLE")
        for container in containers {
            try await saved(note(["due": "today"]), in: container.publicDatabase)
            try await container.privateDatabase.save(note(["due": "today"]))
            let query = Query(recordType: "Notes", filter: try Filter("due == 'today'"))
            #expect(try await container.privateDatabase.count(matching: query) > 0)
            await #expect(throws: CabinetError.self) { try await container.publicDatabase.save(note(["other": "x"])) }
        }
        for container in containers { await container.close() }
        for server in servers { #expect(try await server.end(SIGTERM) == 0) }
    }

    private func note(_ fields: KeyValuePairs<String, String>) -> Record {
        var record = Record(recordType: "Notes")
        for (key, value) in fields { record[key] = value }
        return record
    }

    /// Saves a record once the server permits it, which must be some seconds after the deployment.
    private func saved(_ record: Record, in database: Database) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do {
                _ = try await database.save(record)
                return
            } catch CabinetError.Code.invalidArguments where ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
