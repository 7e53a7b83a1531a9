import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Renamed tables and columns, as another program sees them.
@Suite struct RenamingTests {
    @Test("A rename takes the same steps for any number of records")
    func cost() async throws {
        var counts: [Int] = []
        for lists in [1, 12] {
            let store = try await CountedStore(lists: lists)
            for part in [SchemaPart("Items", "name"), SchemaPart("Items", "list"), SchemaPart("Lists")] {
                let name = part.fieldKey == "name" ? "title" : "Other"
                counts.append(try await store.statements { try await store.database.rename(part, to: name) }.steps)
            }
        }
        // The second store has 1,111 records more.
        for (few, many) in zip(counts.prefix(3), counts.suffix(3)) { #expect(abs(few - many) < 500, "\(counts)") }
    }

    @Test("The shell sees the new names, and an index of each column alone")
    func shell() async throws {
        let store = Store()
        let database = try Container(identifier: "org.cabinet.renames", backend: store.backend).publicDatabase
        func save(_ name: String, type: String = "Items", _ key: String) async throws {
            var record = Record(recordType: type, recordID: RecordID(recordName: name))
            record[key] = name
            record["list"] = Reference(recordID: RecordID(recordName: "target"), action: .none)
            if type == "Items" { record["place"] = Location(latitude: 1, longitude: 2) }
            try await database.save(record)
        }
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .searchable])
        schema["Items"]["list"] = Schema.Field(.reference)
        schema["Items"]["place"] = Schema.Field(.location, .queryable)
        try await database.apply(schema)
        try await save("a", "name")
        try await database.rename(SchemaPart("Items", "name"), to: "title")
        try await database.rename(SchemaPart("Items", "place"), to: "where")
        try await database.rename(SchemaPart("Items", "list"), to: "LIST")
        try await database.rename(SchemaPart("Items"), to: "items")
        #expect(try store.sql("SELECT title, LIST, \"LIST.action\" FROM items") == [["a", "target", "0"]])
        #expect(
            try store.sql(
                "SELECT name FROM sqlite_master WHERE name GLOB 'cabinet_search_items.*' AND rootpage = 0 ORDER BY 1")
                == [["cabinet_search_items.where.places"], ["cabinet_search_items.words"]])
        // The old names are used again; their indexes have others, because SQLite does not rename an index.
        var both = try await database.schema()
        both["Items"] = schema["Items"]
        both["items"]["list"] = Schema.Field(.reference)
        both["items"]["name"] = Schema.Field(.string, .queryable)
        both["items"]["title"] = Schema.Field(.string, [.queryable, .searchable])
        try await database.apply(both)
        try await save("b", type: "Items", "name")
        try await save("c", type: "items", "title")
        for (type, key) in [("Items", "name"), ("items", "title"), ("items", "name")] {
            let query = Query(recordType: type, filter: .field(key) == "x")
            let access = try await database.explain(query).access
            #expect("\(access)".contains("index"), "\(type).\(key): \(access)")
        }
        both["items"]["title"] = Schema.Field(.string)
        both["items"].indexes = [["title", "name"]]
        try await database.apply(both)
        let duplicates = try store.sql(
            """
            SELECT substr(sql, instr(sql, ' ON ')) AS target, count(*) FROM sqlite_master WHERE type = 'index' AND sql NOT NULL \
            GROUP BY target HAVING count(*) > 1
            """)
        #expect(duplicates == [])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
        let maintenance = try #require(store.backend.abilities.maintenance)
        #expect(try await maintenance.issues(in: .public, limit: 10) == [])
        try await maintenance.rebuildIndexes(of: .public)
        #expect(try await maintenance.issues(in: .public, limit: 10) == [])
        let names = try store.sql("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name")
        try store.sql("DROP INDEX \"\(try #require(names.compactMap(\.[0]).first { $0.contains("cabinet_index_") }))\"")
        #expect(try await maintenance.issues(in: .public, limit: 10).map(\.isRepairable) == [true])
        try await maintenance.rebuildIndexes(of: .public)
        #expect(try await maintenance.issues(in: .public, limit: 10) == [])
    }

    @Test("Another process reads the new names in its next transaction")
    func otherProcess() async throws {
        let store = Store()
        let other = Store(in: store.directory)
        let database = try Container(identifier: "org.cabinet.renames", backend: store.backend).publicDatabase
        let second = try Container(identifier: "org.cabinet.renames", backend: other.backend).publicDatabase
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "a"))
        record["due"] = 3
        try await database.save(record)
        #expect(try await second.record(for: record.recordID)["due"] == 3)
        try await database.rename(SchemaPart("Items", "due"), to: "dueDate")
        #expect(try await second.record(for: record.recordID)["dueDate"] == 3)
        try await second.rename(SchemaPart("Items"), to: "Tasks")
        #expect(try await database.record(for: record.recordID).recordType == "Tasks")
        record = Record(recordType: "Tasks", recordID: RecordID(recordName: "b"))
        record["dueDate"] = 4
        try await database.save(record)
        #expect(try await second.count(matching: Query(recordType: "Tasks")) == 2)
        await other.backend.close()
    }

    @Test("A rename that fails, or shares a commit with one that does, leaves the names")
    func rollback() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("x", .int64(1))])])
        struct Refusal: Error {}
        let before = try await store.backend.read(.public) { try await $0.schema() }
        let type = try #require(before.recordTypes.keys.first)
        await #expect(throws: Refusal.self) {
            try await store.backend.write(.public) { transaction in
                try await transaction.apply([.rename(SchemaPart(type), to: "Other")])
                throw Refusal()
            }
        }
        #expect(try await store.backend.read(.public) { try await $0.schema() } == before)
        try await store.backend.write(.public) { try await $0.apply([.rename(SchemaPart(type), to: "Other")]) }
        #expect(try await store.backend.read(.public) { try await $0.schema() }.recordTypes["Other"] != nil)
    }
}
