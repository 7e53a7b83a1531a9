import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Statements that fail as those of a server do whose own connection to another server has broken.
@Suite struct AbortedTransactionTests {
    private func connection(_ configuration: PostgresConfiguration) async throws -> Connection {
        try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
    }

    /// Makes the next insertions of items fail with a state.
    private func fail(_ count: Int, with state: String, in configuration: PostgresConfiguration) async throws {
        let schema = "\"\(configuration.schema)\""
        let admin = try await connection(configuration)
        for statement in [
            "CREATE SEQUENCE \(schema).failures",
            """
            CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('\(schema).failures') <= \(count) THEN RAISE EXCEPTION 'lost' USING ERRCODE = '\(state)'; END IF;
            RETURN NULL; END $$
            """,
            "CREATE TRIGGER fail AFTER INSERT ON \(schema).\"Items\" EXECUTE FUNCTION \(schema).fail()",
        ] {
            try admin.run(statement)
        }
    }

    @Test(
        "A save whose pipeline reports a loss is run again, on another connection, and saved once",
        arguments: ["08006", "57P01", "25P02"])
    func loss(state: String) async throws {
        var configuration = Stores.configuration()
        configuration.maximumConnections = 1
        let backend = try await Stores.backend(configuration)
        let database = try Container(identifier: "com.example.aborted", backend: backend).privateDatabase
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "first")))
        try await fail(3, with: state, in: configuration)
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "second")))
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(changes.modificationResultsByID.count == 2)
        await backend.close()
    }

    @Test("A connection whose transaction has not ended is not used again; one whose rollback is on the way is")
    func reuse() async throws {
        let configuration = Stores.configuration()
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        let pooled = PooledConnection(number: 1, parameters: parameters, configuration: configuration)
        func process() async throws -> Int64? {
            try await pooled.connected().query("SELECT pg_backend_pid()::bigint").first?.integer(0)
        }
        let first = try await process()
        try await pooled.connected().run("BEGIN")
        try await pooled.connected().enqueue(Connection.rollback)
        try await pooled.connected().push()
        pooled.finish()
        #expect(try await process() == first)
        try await pooled.connected().run("BEGIN")
        pooled.finish()
        let second = try await process()
        #expect(second != first)
        let connection = try await pooled.connected()
        try connection.run("BEGIN")
        #expect(throws: PostgresFailure.self) { try connection.run("SELECT 1/0") }
        let failure = #expect(throws: PostgresFailure.self) { try connection.run("SELECT 1") }
        #expect(failure?.isLoss == true)
        pooled.finish()
        #expect(try await process() != second)
        pooled.close()
    }

    @Test("A statement can be prepared again although a failure has kept the server from forgetting it")
    func eviction() async throws {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()),
            configuration: Stores.configuration())
        func count() throws -> Int64? {
            try connection.query("SELECT count(*) FROM pg_prepared_statements", isPrepared: false).first?.integer(0)
        }
        for number in 0..<StatementCache.limit { _ = try connection.query("SELECT \(number)") }
        // Of statements that were sent together, the server skips those after one that fails.
        for number in 0..<10 {
            try connection.enqueue("SELECT 1/0", isPrepared: false)
            #expect(throws: PostgresFailure.self) { try connection.query("SELECT 'other \(number)'") }
        }
        for number in 0..<StatementCache.limit { _ = try connection.query("SELECT \(number)") }
        for number in 0..<10 { _ = try connection.query("SELECT 'other \(number)'") }
        #expect(try count() == Int64(StatementCache.limit))
    }
}
