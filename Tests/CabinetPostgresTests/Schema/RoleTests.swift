import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Roles with as few privileges as possible.
@Suite struct RoleTests {
    /// A backend of a role, and its database of records.
    private struct Client {
        let backend: PostgresBackend
        let database: Database

        init(_ connection: String, _ configuration: PostgresConfiguration) throws {
            backend = try PostgresBackend(connection: connection, configuration: configuration)
            database = try Container(identifier: "com.example.roles", backend: backend).publicDatabase
        }

        func save(_ recordType: String, _ name: String, _ fields: [String]) async throws {
            let id = RecordID(recordName: name)
            var record = (try? await database.record(for: id)) ?? Record(recordType: recordType, recordID: id)
            for field in fields { record[field] = "\(name) \(field)" }
            try await database.save(record)
        }
    }

    /// Runs the statements of an error's advice, as a superuser types them.
    private func follow(_ error: CabinetError?, in database: String = "postgres") async throws {
        #expect(error?.code == .permissionFailure, "\(error as Any)")
        let message = try #require(error?.message)
        let statements = try #require(message.range(of: "run: ").map { String(message[$0.upperBound...]) })
        let server = try await PostgresServer.shared.value
        try await server.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-c", statements, database])
    }

    private func refusal(_ body: () async throws -> Void) async -> CabinetError? {
        await #expect(throws: CabinetError.self) { try await body() }
    }

    @Test("A role with DML does everything but grow the schema; members of the owner grow it for each other")
    func roles() async throws {
        let server = try await PostgresServer.shared.value
        let configuration = Stores.configuration()
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let id = UUID().uuidString.prefix(8)
        let (owner, first, second, plain) = ("Owner_\(id)", "First_\(id)", "Second_\(id)", "Plain_\(id)")
        for statement in [
            "CREATE ROLE \"\(owner)\"", "CREATE ROLE \"\(first)\" LOGIN IN ROLE \"\(owner)\"",
            "CREATE ROLE \"\(second)\" LOGIN IN ROLE \"\(owner)\"", "CREATE ROLE \"\(plain)\" LOGIN",
            "CREATE SCHEMA \"\(configuration.schema)\" AUTHORIZATION \"\(owner)\"",
        ] {
            try admin.run(statement)
        }
        func expectOneOwner() throws {
            let owners = try admin.query(
                """
                SELECT DISTINCT r.rolname::text FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner \
                WHERE c.relnamespace = $1::text::regnamespace AND c.relkind <> 'i'
                """, [.text("\"\(configuration.schema)\"")])
            #expect(owners.rows.map { $0.text(0) } == [owner])
        }

        var partitioned = configuration
        partitioned.partitions = 2
        let firstClient = try Client(server.connection(user: first), configuration)
        let secondClient = try Client(server.connection(user: second), partitioned)
        try await firstClient.save("Items", "a", ["name"])
        try await secondClient.save("Items", "b", ["name", "note"])
        try await secondClient.save("Lists", "c", ["name"])
        try await firstClient.save("Lists", "c", ["name", "note"])
        try expectOneOwner()

        let plainClient = try Client(server.connection(user: plain), configuration)
        try await follow(await refusal { try await plainClient.save("Items", "d", ["name"]) })
        try await plainClient.save("Items", "d", ["name"])
        let database = plainClient.database
        let zone = RecordZone(zoneID: RecordZone.ID(zoneName: "Zone"))
        _ = try await database.modifyRecordZones(saving: [zone], deleting: [])
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "e", zoneID: zone.zoneID))
        record["name"] = "e"
        try await database.save(record)
        try await database.deleteRecord(withID: RecordID(recordName: "a"))
        let found = try await database.allRecords(matching: Query(recordType: "Items"))
        #expect(Set(found.map(\.recordID.recordName)).isSuperset(of: ["b", "d"]))
        _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil)

        try admin.run(
            """
            ALTER DEFAULT PRIVILEGES FOR ROLE "\(owner)" IN SCHEMA "\(configuration.schema)" \
            GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "\(plain)"
            """)
        try await firstClient.save("Stocks", "g", ["name"])
        try await plainClient.save("Stocks", "h", ["name"])

        try await follow(await refusal { try await plainClient.save("Items", "d", ["name", "color"]) })
        try await plainClient.save("Items", "d", ["name", "color"])
        try await plainClient.save("Shops", "f", ["name"])
        try expectOneOwner()
        for client in [firstClient, secondClient, plainClient] { await client.backend.close() }
    }

    @Test("The advice names the role that the settings of the login have set")
    func setRole() async throws {
        let server = try await PostgresServer.shared.value
        let configuration = Stores.configuration()
        let superuser = try Client(server.connection(), configuration)
        try await superuser.save("Items", "a", ["name"])
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let id = UUID().uuidString.prefix(8).lowercased()
        try admin.run("CREATE ROLE writer_\(id)")
        try admin.run("CREATE ROLE login_\(id) LOGIN IN ROLE writer_\(id)")
        let client = try Client(
            server.connection(user: "login_\(id)") + "?options=-c%20role%3Dwriter_\(id)", configuration)
        try await follow(await refusal { try await client.save("Items", "b", ["name"]) })
        try await client.save("Items", "b", ["name"])
        for client in [superuser, client] { await client.backend.close() }
    }

    @Test("A schema of a superuser is not grown through membership in the superuser, but gets another owner")
    func superuser() async throws {
        let server = try await PostgresServer.shared.value
        let configuration = Stores.configuration()
        let superuser = try Client(server.connection(), configuration)
        try await superuser.save("Items", "a", ["name"])
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let (owner, role) = ("Owner_\(UUID().uuidString.prefix(8))", "Role_\(UUID().uuidString.prefix(8))")
        try admin.run("CREATE ROLE \"\(owner)\"")
        try admin.run("CREATE ROLE \"\(role)\" LOGIN IN ROLE \"\(owner)\"")
        let client = try Client(server.connection(user: role), configuration)
        try await follow(await refusal { try await client.save("Items", "b", ["name"]) })
        try await client.save("Items", "b", ["name"])
        let error = await refusal { try await client.save("Items", "b", ["note"]) }
        #expect(error?.code == .permissionFailure)
        #expect(error?.message.contains("GRANT") == false && error?.message.contains("superuser") == true)
        // As the article "Running PostgreSQL" says.
        try admin.run("ALTER SCHEMA \"\(configuration.schema)\" OWNER TO \"\(owner)\"")
        try admin.run(
            """
            DO $$ DECLARE name text; BEGIN
                FOR name IN SELECT oid::regclass FROM pg_class
                    WHERE relnamespace = '"\(configuration.schema)"'::regnamespace AND relkind IN ('r', 'p')
                LOOP EXECUTE format('ALTER TABLE %s OWNER TO "\(owner)"', name); END LOOP;
            END $$
            """)
        try await client.save("Items", "b", ["note"])
        try await client.save("Lists", "c", ["name"])
        for client in [superuser, client] { await client.backend.close() }
    }

    @Test("A role from which row-level security hides records is refused, and learns how to see them")
    func policies() async throws {
        let server = try await PostgresServer.shared.value
        let configuration = Stores.configuration()
        let superuser = try Client(server.connection(), configuration)
        try await superuser.save("Items", "a", ["name"])
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let role = "Role_\(UUID().uuidString.prefix(8))"
        let schema = "\"\(configuration.schema)\""
        for statement in [
            "CREATE ROLE \"\(role)\" LOGIN", "GRANT USAGE ON SCHEMA \(schema) TO \"\(role)\"",
            "GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \"\(role)\"",
            "ALTER TABLE \(schema).\"Items\" ENABLE ROW LEVEL SECURITY",
        ] {
            try admin.run(statement)
        }
        let client = try Client(server.connection(user: role), configuration)
        let query = Query(recordType: "Items")
        try await follow(await refusal { _ = try await client.database.allRecords(matching: query) })
        #expect(try await client.database.allRecords(matching: query).count == 1)
        for client in [superuser, client] { await client.backend.close() }
    }

    @Test("A role that may not create the schema learns how to")
    func database() async throws {
        let server = try await PostgresServer.shared.value
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: Stores.configuration())
        let role = "Role_\(UUID().uuidString.prefix(8))"
        try admin.run("CREATE ROLE \"\(role)\" LOGIN")
        let name = try #require(try await server.newDatabase().split(separator: "/").last.map(String.init))
        let client = try Client(server.connection(user: role, database: name), Stores.configuration())
        try await follow(await refusal { try await client.save("Items", "a", ["name"]) }, in: name)
        try await client.save("Items", "a", ["name"])
        await client.backend.close()
    }
}
