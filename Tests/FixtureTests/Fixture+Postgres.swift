import Cabinet
import Foundation
import PostgresTestSupport

@testable import CabinetPostgres

extension Fixture {
    static let oldestPostgresLayout = Layout.oldestVersion
    static let postgresLayout = Layout.version

    private static let schema = "fixture"

    private var dump: URL { folder.appendingPathComponent("store.sql") }

    static func container(server connection: String) throws -> Container {
        let backend = try PostgresBackend(
            connection: connection, configuration: PostgresConfiguration(schema: schema, maximumConnections: 8))
        return try Container(identifier: "org.cabinet.fixtures", backend: backend, deviceID: "fixture")
    }

    /// Restores the dump in a database.
    func restoreDump(on server: PostgresServer, _ connection: String) async throws {
        let database = String(connection.split(separator: "/").last ?? "")
        try await server.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-f", dump.path, database])
    }

    /// Writes the fixture as this version stores it: a dump that each version of `psql` reads.
    func writeDump() async throws {
        let files = FileManager.default
        if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let (server, scratch) = (try await PostgresServer.shared.value, try TemporaryFolder())
        let connection = try await server.newDatabase()
        let container = try Self.container(server: connection)
        let values = try await fill(container, in: scratch.url)
        await container.close()
        try JSONEncoder().encode(values).write(to: folder.appendingPathComponent("values.json"))
        let database = String(connection.split(separator: "/").last ?? "")
        try await server.run(
            "pg_dump", ["-n", Self.schema, "--inserts", "--no-owner", "--no-privileges", "-f", dump.path, database])
        // Only some versions know these commands and settings.
        let lines = try String(contentsOf: dump, encoding: .utf8).split(separator: "\n").filter { line in
            !line.hasPrefix("\\") && !line.hasPrefix("--") && !line.hasPrefix("SET transaction_timeout")
        }
        try (lines.joined(separator: "\n") + "\n").write(to: dump, atomically: true, encoding: .utf8)
        let copy = try await server.newDatabase()
        try await restoreDump(on: server, copy)
        try await writeAnswers(of: try Self.container(server: copy), values)
    }
}
