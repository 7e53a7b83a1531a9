import Cabinet
import CabinetTools
import Synchronization
import Testing

@testable import CabinetPostgres

/// Indexes and keys that are missing or incomplete are found, and created again.
@Suite struct IndexDamageTests {
    /// A store with indexes of all kinds.
    private func store(partitions: Int = 0, concurrentIndexSize: Int64? = nil) async throws -> DamagedStore {
        let store = try await DamagedStore(partitions: partitions, concurrentIndexSize: concurrentIndexSize)
        let database = try store.container("_anna").privateDatabase
        var schema = try await database.schema()
        schema["Items"]["note"] = .init(.string, [.queryable, .searchable])
        schema["Items"]["place"] = .init(.location, .queryable)
        try await database.apply(schema)
        return store
    }

    /// The names of the indexes, except those of partitions.
    private static let indexes = """
        SELECT x.relname::text FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid \
        JOIN pg_class AS c ON c.oid = i.indrelid WHERE NOT c.relispartition \
        AND c.relnamespace = current_schema()::regnamespace AND NOT EXISTS (\
        SELECT FROM pg_constraint WHERE conindid = x.oid) ORDER BY 1
        """

    /// The definitions of these indexes, and of the keys.
    private static let definitions = """
        SELECT pg_get_indexdef(to_regclass(quote_ident(relname))) FROM (\(indexes)) AS names(relname) UNION ALL \
        SELECT conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'u') \
        AND connamespace = current_schema()::regnamespace AND conparentid = 0 ORDER BY 1
        """

    /// The statements that drop the keys.
    private static let keyRemovals = """
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint \
        WHERE contype IN ('p', 'u') AND connamespace = current_schema()::regnamespace AND conparentid = 0
        """

    @Test("Every index and every key that was dropped is reported and created again", arguments: [0, 2])
    func missing(partitions: Int) async throws {
        let store = try await store(partitions: partitions)
        #expect(try await store.issues(of: "_anna") == [])
        let definitions = try await store.texts(Self.definitions)
        let names = try await store.texts(Self.indexes)
        let keys = try await store.texts(Self.keyRemovals)
        #expect(names.count == 16)
        try await store.run(names.map { #"DROP INDEX "\#($0)""# } + keys)
        let found = try await store.issues(of: "_anna")
        #expect(found.allSatisfy { $0.kind == .storage && $0.isRepairable })
        let texts = Set(store.texts(found))
        #expect(texts.isSuperset(of: names.map { "the index \($0) is missing" }), "\(texts)")
        #expect(
            texts.isSuperset(of: [
                #"the key ("___database", "___zone", "___recordID") of table Items is missing"#,
                #"the key ("database", "zone") of table cabinet_zone is missing"#,
                #"the key ("database", "zoneName", "ownerName") of table cabinet_zone is missing"#,
            ]), "\(texts)")
        #expect(texts.count == names.count + keys.count, "\(texts)")
        // The indexes that a schema requests are those of its database.
        #expect(try await store.issues().count == texts.count - 3)

        let report = try await store.container("_anna").verify(repairing: true)
        #expect(Set(found).isSubset(of: report.findings.map(\.issue)))
        #expect(report.remaining.map(\.description) == [])
        #expect(try await store.container("_anna").verify().isClean)
        #expect(try await store.texts(Self.definitions) == definitions)
        await store.backend.close()
    }

    @Test("An index and a key of a large table are created while others write")
    func missingFromLargeTable() async throws {
        let store = try await store(concurrentIndexSize: 0)
        let definitions = try await store.texts(Self.definitions)
        let name = try #require(try await store.texts(Self.indexes).first { $0.hasPrefix("cabinet_words_") })
        try await store.run([#"DROP INDEX "\#(name)""#, #"ALTER TABLE "Lists" DROP CONSTRAINT "Lists_pkey""#])
        let report = try await store.container("_anna").verify(repairing: true)
        #expect(report.findings.count { $0.database == .private(owner: "_anna") && $0.isRepaired } == 2, "\(report)")
        #expect(report.remaining.map(\.description) == [])
        #expect(try await store.texts(Self.definitions) == definitions)
        await store.backend.close()
    }

    @Test("An index whose creation was interrupted is reported, unless a process is creating it")
    func incomplete() async throws {
        let store = try await store()
        let definitions = try await store.texts(Self.definitions)
        let name = try #require(
            try await store.texts(#"SELECT 'cabinet_change_' || id FROM cabinet_record_type WHERE name = 'Items'"#)
                .first)
        try await store.run([#"DROP INDEX "\#(name)""#])
        // Rows with the same values interrupt it.
        await #expect(throws: PostgresFailure.self) {
            try await store.run([#"CREATE UNIQUE INDEX CONCURRENTLY "\#(name)" ON "Items" ("___database")"#])
        }
        let builder = try await store.connection()
        try builder.run("BEGIN")
        try builder.run(#"LOCK TABLE "Items" IN SHARE UPDATE EXCLUSIVE MODE"#)
        #expect(try await store.issues() == [])
        try builder.rollback()
        #expect(try await store.texts(store.issues()) == ["the index \(name) is incomplete"])
        let report = try await store.container("_anna").verify(repairing: true)
        #expect(report.remaining.map(\.description) == [])
        #expect(try await store.texts(Self.definitions) == definitions)
        await store.backend.close()
    }

    @Test("A key whose values occur twice stays missing, and the repair goes on", arguments: [16 << 20, 0])
    func duplicates(concurrentIndexSize: Int64) async throws {
        let store = try await store(concurrentIndexSize: concurrentIndexSize)
        let definitions = try await store.texts(Self.definitions)
        try await store.run([
            #"ALTER TABLE "Shops" DROP CONSTRAINT "Shops_pkey""#, #"INSERT INTO "Shops" SELECT * FROM "Shops""#,
            #"DROP INDEX cabinet_asset_content"#,
        ])
        let key = #"the key ("___database", "___zone", "___recordID") of table Shops is missing"#
        let report = try await store.container("_anna").verify(repairing: true)
        let findings = report.findings.filter { $0.database == .private(owner: "_anna") }
        #expect(
            store.texts(findings.filter(\.isRepaired).map(\.issue)) == ["the index cabinet_asset_content is missing"])
        #expect(store.texts(findings.filter { !$0.isRepaired }.map(\.issue)) == [key])
        let invalid = "SELECT 'one' FROM pg_index WHERE NOT indisvalid AND indrelid = '\"Shops\"'::regclass"
        #expect(try await store.texts(invalid) == [])
        #expect(try await store.texts(#"SELECT "___recordID" FROM "Shops""#).count == 2)

        try await store.run([#"DELETE FROM "Shops" WHERE ctid = (SELECT max(ctid) FROM "Shops")"#])
        #expect(try await store.container("_anna").verify(repairing: true).remaining == [])
        #expect(try await store.texts(Self.definitions) == definitions)
        await store.backend.close()
    }

    @Test(
        "New types, indexes, zones and databases of another process, and those that it deletes, are not taken for damage"
    )
    func whileOthersWrite() async throws {
        let store = try await store(concurrentIndexSize: 0)
        let other = try await Stores.backend(store.configuration)
        let database = try store.container("_ben", other).privateDatabase
        let isOver = Atomic(false)
        async let changing: Void = {
            defer { isOver.store(true, ordering: .relaxed) }
            for number in 0..<12 {
                let (type, field) = ("Type\(number % 4)", "field\(number)")
                let zone = try await database.save(RecordZone(zoneName: "zone\(number)"))
                let target = Record(recordType: type, recordID: RecordID(recordName: "target", zoneID: zone.zoneID))
                let reference = Reference(record: try await database.save(target), action: .deleteSelf)
                var linked = Record(recordType: type, recordID: RecordID(recordName: "linked", zoneID: zone.zoneID))
                linked["target\(number)"] = reference
                linked["targets"] = [reference]
                try await database.save(linked)
                try await database.save(store.record(type, "r\(number)", [field: number]))
                for options in [[.queryable, .sortable], []] as [Schema.Field.Options] {
                    var schema = try await database.schema()
                    schema[type][field] = .init(.int64, options)
                    try await database.apply(schema)
                }
                try await store.container("_user\(number)", other).privateDatabase
                    .save(store.record(type, "r", [field: number]))
                try await database.deleteRecordZone(withID: zone.zoneID)
            }
        }()
        repeat {
            for user in ["_anna", "_ben", "_user3"] { #expect(try await store.issues(of: user) == []) }
        } while !isOver.load(ordering: .relaxed)
        try await changing
        for user in ["_anna", "_ben", "_user3"] { #expect(try await store.issues(of: user) == []) }
        await other.close()
        await store.backend.close()
    }
}
