import Cabinet
import CabinetTools
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Changes of tables by hand are found, and derived rows are rebuilt.
@Suite struct DamageTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: [String]
        /// The expected findings of a database without the damaged fields.
        let findings: Set<String>
        /// Whether the findings prevent a repair.
        let preventsRepair: Bool

        init(_ description: String, _ sql: [String], finds findings: Set<String>, preventsRepair: Bool = true) {
            testDescription = description
            self.sql = sql
            self.findings = findings
            self.preventsRepair = preventsRepair
        }
    }

    private static let lists = "(SELECT id FROM cabinet_record_type WHERE name = 'Lists')"

    static let damages: [Damage] = [
        Damage(
            "a field that the schema lacks", ["DELETE FROM cabinet_column WHERE field = 'note'"],
            finds: ["schema: the schema lacks the column note of table Items"]),
        Damage(
            "a reference that the schema lacks", ["DELETE FROM cabinet_column WHERE field = 'list'"],
            finds: [
                "schema: the schema lacks the column list of table Items",
                "schema: the schema lacks the column list.action of table Items",
            ]),
        Damage(
            "a record type that the schema lacks",
            [
                "DELETE FROM cabinet_column WHERE \"recordType\" = \(lists)",
                "DELETE FROM cabinet_record_type WHERE name = 'Lists'",
            ], finds: ["schema: the schema lacks the record type of table Lists"]),
        Damage(
            "a column that was added", [#"ALTER TABLE "Items" ADD COLUMN other text"#],
            finds: ["schema: the schema lacks the column other of table Items"]),
        Damage(
            "a column that is missing", [#"ALTER TABLE "Items" DROP COLUMN note"#],
            finds: ["storage: table Items has no column note"], preventsRepair: false),
        Damage(
            "a table that was renamed", [#"ALTER TABLE "Lists" RENAME TO "Gone""#],
            finds: Set(
                ["schema: the schema lacks the record type of table Gone", "storage: table Lists has no column title"]
                    + Layout.systemColumnNames.map { "storage: table Lists has no column \($0)" })),
    ]

    @Test("A table or column that the schema lacks, or that is missing, is found", arguments: damages)
    func schema(_ damage: Damage) async throws {
        let store = try await DamagedStore()
        #expect(try await store.issues() == [])
        try await store.run(damage.sql)
        let start = "The store's PostgreSQL schema \(store.configuration.schema) is damaged: "
        let found = try await store.issues()
        let texts = found.map { "\($0.kind): \($0.message.replacing(start, with: "").prefix { $0 != "." })" }
        // The dot of an action's column ends no sentence.
        let expected = damage.findings.map { String($0.prefix { $0 != "." }) }
        #expect(Set(texts) == Set(expected), "\(found)")
        #expect(found.count == damage.findings.count)
        #expect(found.allSatisfy { !$0.isRepairable && $0.message.hasPrefix(start) })

        // A repair forgets the deletion of a record that exists, unless a table or a column is unknown.
        try await store.run([
            """
            INSERT INTO cabinet_deletion SELECT "___database", "___zone", "___etag" - 1, "___recordID", 'Shops', 0 \
            FROM "Shops"
            """
        ])
        let other = try await Stores.backend(store.configuration)
        let report = try await store.container("_ben", other).verify(repairing: true)
        let findings = report.findings.filter { $0.database == .private(owner: "_ben") }
        #expect(Set(found).isSubset(of: findings.map(\.issue)), "\(report)")
        let isRepaired = findings.contains { $0.kind == .changeFeed && $0.isRepaired }
        #expect(isRepaired == !damage.preventsRepair, "\(report)")
        await other.close()
        await store.backend.close()
    }

    @Test("Tables of other programs, and copies and partitions of tables, are not damage", arguments: [0, 2])
    func tablesOfOthers(partitions: Int) async throws {
        let store = try await DamagedStore(partitions: partitions)
        try await store.run([
            #"CREATE TABLE prices (item text PRIMARY KEY, "___etag" bigint)"#,
            "CREATE INDEX cabinet_change ON prices (item)", #"CREATE VIEW names AS SELECT note FROM "Items""#,
            #"CREATE TABLE backup AS SELECT * FROM "Items""#, #"CREATE TABLE copy (LIKE "Items" INCLUDING ALL)"#,
            #"ALTER TABLE "Items" ADD COLUMN temporary text"#, #"ALTER TABLE "Items" DROP COLUMN temporary"#,
        ])
        #expect(try await store.issues() == [])
        #expect(try await store.container("_ben").verify().isClean)
        await store.backend.close()
    }

    @Test("The limit of missing columns leaves room for unknown ones, and no store has no damage")
    func limit() async throws {
        let store = try await DamagedStore()
        try await store.run([
            #"ALTER TABLE "Lists" RENAME TO "Gone""#,
            #"ALTER TABLE "Shops" ADD COLUMN first text, ADD COLUMN second text"#,
        ])
        let kinds = try await store.issues(limit: 2).map(\.kind)
        #expect(kinds == [.schema, .schema, .storage, .storage])
        await store.backend.close()
        let empty = try await Stores.backend()
        #expect(try await empty.issues(in: .public, limit: 2) == [])
        await empty.close()
    }

    @Test("New types and fields of another process are not taken for damage")
    func whileOthersWrite() async throws {
        let store = try await DamagedStore()
        let other = try await Stores.backend(store.configuration)
        let database = try store.container("_ben", other).privateDatabase
        async let growing: Void = {
            for number in 0..<25 {
                try await database.save(store.record("Type\(number % 5)", "r\(number)", ["field\(number)": number]))
            }
        }()
        for _ in 0..<100 { #expect(try await store.issues() == []) }
        try await growing
        #expect(try await store.issues() == [])
        await other.close()
        await store.backend.close()
    }

    @Test("Derived rows are rebuilt, and those of another database stay")
    func rebuilding() async throws {
        let store = try await DamagedStore()
        let database = try store.container("_anna").privateDatabase
        var schema = try await database.schema()
        schema["Items"]["note"] = .init(.string, .searchable)
        try await database.apply(schema)
        let file = Asset(data: Data("file".utf8))
        try await database.save(store.record("Items", "c", ["file": file, "files": [file, Asset(data: Data([1]))]]))
        try await store.container("_ben").privateDatabase.save(store.record("Items", "d", ["file": file]))
        #expect(try await store.container("_anna").verify().isClean)
        try await store.run([
            "DELETE FROM cabinet_list_reference WHERE position = 1", "DELETE FROM cabinet_asset_use WHERE source = 'c'",
            #"UPDATE "Items" SET "___words" = NULL WHERE "___recordID" = 'a'"#,
            """
            INSERT INTO cabinet_deletion SELECT "___database", "___zone", 1, "___recordID", 'Items', 0 FROM "Items" \
            WHERE "___recordID" = 'b'
            """,
        ])
        let report = try await store.container("_anna").verify(repairing: true)
        #expect(Set(report.findings.map(\.kind)).isSuperset(of: [.referenceIndex, .assetUse, .index, .changeFeed]))
        #expect(report.remaining.map(\.description) == [])
        let again = try await store.container("_anna").verify()
        #expect(again.isClean && again.counts.assets == 3, "\(again)")
        let query = Query(recordType: "Items", filter: try Filter("self CONTAINS 'red'"))
        #expect(try await database.allRecords(matching: query).map(\.recordID.recordName) == ["a"])
        await store.backend.close()
    }
}
