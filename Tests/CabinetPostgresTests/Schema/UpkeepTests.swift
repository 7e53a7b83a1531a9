import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The statistics and settings of tables, on a server whose autovacuum is off.
@Suite struct UpkeepTests {
    private func records(_ range: Range<Int>) -> [Record] {
        range.map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["number"] = number
            return record
        }
    }

    @Test("A new table has statistics after its first thousand rows", arguments: [0, 2])
    func statistics(partitions: Int) async throws {
        var configuration = Stores.configuration()
        configuration.partitions = partitions
        let backend = try await Stores.backend(configuration)
        let database = try Container(identifier: "com.example.upkeep", backend: backend).privateDatabase
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        func rowCount() throws -> Double? {
            try admin.query(
                "SELECT reltuples::float8 FROM pg_class WHERE oid = $1::text::regclass",
                [.text("\"\(configuration.schema)\".\"Items\"")]
            ).first?.double(0)
        }
        for start in stride(from: 0, to: 1000, by: 100) {
            if start > 0 { #expect(try rowCount() ?? 0 <= 0) }
            _ = try await database.modifyRecords(saving: records(start..<start + 100), deleting: [])
        }
        #expect(try rowCount() == 1000)
        // Later, the server's own rules suffice.
        _ = try await database.modifyRecords(saving: records(1000..<1100), deleting: [])
        #expect(try rowCount() == 1000)
        await backend.close()
    }

    @Test("The rows that every save changes are changed without a new entry in an index (HOT)")
    func updates() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        let database = try Container(identifier: "com.example.upkeep", backend: backend).privateDatabase
        for record in records(0..<200) { try await database.save(record) }
        // A process of the server reports its counts when it ends.
        await backend.close()
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        for (table, updates) in [("cabinet_state", Int64(199)), ("cabinet_entry", 398)] {
            var found: (all: Int64, hot: Int64) = (0, 0)
            for _ in 0..<1000 where found.all < updates {
                try await Task.sleep(for: .milliseconds(20))
                let row = try admin.query(
                    "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = $2",
                    [.text(configuration.schema), .text(table)]
                ).first
                found = (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
            }
            #expect(found.all >= updates)
            #expect(found.hot * 20 >= found.all * 19, "\(table): \(found)")
        }
    }

    @Test("The upgrade of the layout may take longer than other statements")
    func upgrade() async throws {
        var configuration = Stores.configuration()
        // A statement has a second.
        configuration.statementTimeLimit = .milliseconds(100)
        configuration.busyTimeout = .zero
        let schema = "\"\(configuration.schema)\""
        let first = try await Stores.backend(configuration)
        let database = try Container(identifier: "com.example.upkeep", backend: first).privateDatabase
        var wanted = Schema()
        wanted["Items"]["name"] = Schema.Field(.string, .searchable)
        try await database.apply(wanted)
        var record = Record(recordType: "Items")
        record["name"] = "Milk"
        try await database.save(record)
        await first.close()
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        for statement in [
            "UPDATE \(schema).cabinet_layout SET version = 3",
            """
            CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql \
            AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$
            """,
            """
            CREATE TRIGGER wait BEFORE UPDATE ON \(schema)."Items" FOR EACH ROW EXECUTE FUNCTION \(schema).wait()
            """,
        ] {
            try admin.run(statement)
        }
        let second = try await Stores.backend(configuration)
        try await Container(identifier: "com.example.upkeep", backend: second).privateDatabase
            .save(Record(recordType: "Items"))
        let version = try admin.query("SELECT version FROM \(schema).cabinet_layout").first?.integer(0)
        #expect(version == Layout.version)
        await second.close()
    }

    @Test("Tables that every write changes are vacuumed early")
    func settings() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { try await $0.add([], to: "Type") }
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let found = try admin.query(
            """
            SELECT relname::text FROM pg_class WHERE relnamespace = $1::text::regnamespace \
            AND 'autovacuum_vacuum_scale_factor=0.01' = ANY (reloptions) ORDER BY 1
            """, [.text("\"\(configuration.schema)\"")])
        #expect(found.rows.map { $0.text(0) } == ["cabinet_entry", "cabinet_state"])
        await backend.close()
    }
}
