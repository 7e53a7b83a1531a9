import CSQLite
import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The tables in the `sqlite3` shell.
@Suite struct LayoutTests {
    @Test func aPersonRecognisesTheirData() async throws {
        let store = Store()
        try await store.insert([StoredRecord("groceries", type: "Lists", [("name", .string("Groceries"))])])
        try await store.insert([
            StoredRecord(
                "milk",
                [
                    ("name", .string("Milk")), ("number", .int64(2)), ("price", .double(1.5)),
                    ("list", .reference(Reference("groceries"))),
                    ("due", .timestamp(Date(timeIntervalSince1970: 1_700_000_000))),
                    ("tags", .list(.string(["cold", "white/fresh"]))),
                    ("where", .location(Location(latitude: 1, longitude: 2))),
                    ("ids", .list(.reference([Reference("groceries", .deny)]))),
                    ("numbers", .list(.double([0.1, .infinity]))), ("data", .bytes(Data([1, 255]))),
                ])
        ])
        let rows = try store.sql(
            """
            SELECT Items.name, number, price, Lists.name, "list.action",
                   datetime(due + 978307200, 'unixepoch'), tags, "where", ids,
                   numbers, hex(data), Items.___recordID, zoneName,
                   datetime(Items.___createTime + 978307200, 'unixepoch'), Items.___createdBy
            FROM Items JOIN Lists ON Items.list = Lists.___recordID JOIN cabinet_zone ON Items.___zone = cabinet_zone.id
            """)
        #expect(
            rows == [
                [
                    "Milk", "2", "1.5", "Groceries", "1", "2023-11-14 22:13:20", #"["cold","white/fresh"]"#,
                    #"{"latitude":1,"longitude":2}"#, #"[{"action":3,"name":"groceries"}]"#, #"[0.1,"inf"]"#, "01FF",
                    "milk",
                    "_defaultZone", "2023-03-08 20:26:40", "_creator",
                ]
            ])
        #expect(try store.sql("PRAGMA journal_mode") == [["wal"]])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func aNewFieldIsANewColumn() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("name", .string("Milk"))])])
        try await store.insert([StoredRecord("b", [("name", .string("Tea")), ("number", .int64(3))])])
        #expect(try store.sql("SELECT name, number FROM Items ORDER BY name") == [["Milk", nil], ["Tea", "3"]])
        #expect(try await store.record(RecordID(recordName: "a"))?.fields["name"] == .string("Milk"))
    }

    @Test func namesThatSQLDoesNotDistinguishCoexist() async throws {
        let store = Store()
        let names = [
            "Items", "items", "ITEMS", "sqlite_sequence", "cabinet_record", "select", "Cabinet_zone", "rowid", "table",
        ]
        var records: [StoredRecord] = []
        for type in names {
            records.append(StoredRecord("r-\(type)", type: type, names.map { ($0, .string("\(type).\($0)")) }))
        }
        records = try await store.insert(records)
        for record in records { #expect(try await store.record(record.recordID) == record) }
        await store.backend.close()
        let reopened = Store(in: store.directory)
        for record in records { #expect(try await reopened.record(record.recordID) == record) }
        #expect(try store.sql(#"SELECT "items$2" FROM Items"#) == [["Items.items"]])
        #expect(
            try store.sql(#"SELECT tableName FROM cabinet_record_type WHERE name = 'cabinet_record'"#) == [
                ["$cabinet_record"]
            ])
    }

    /// Names are checked by Cabinet's core.
    ///
    /// A name that passes the check by mistake is still only a name.
    @Test(arguments: [#"a"b"#, "x; DROP TABLE cabinet_record", "ünïcode", "a'b", "", "a.b", "a$2"])
    func anyNameIsOnlyAName(name: String) async throws {
        let store = Store()
        let record = try await store.insert([
            StoredRecord("r", type: name, [(name, .reference(Reference("t"))), ("x" + name, .int64(1))])
        ])[0]
        #expect(try await store.record(record.recordID) == record)
        #expect(
            try await store.backend.read(.public) { try await $0.references(to: [RecordID(recordName: "t")]) }.count
                == 1)
        await store.backend.close()
        #expect(try await Store(in: store.directory).record(record.recordID) == record)
    }

    @Test func referencesAndIDsAreIndexed() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("name", .string("x")), ("list", .reference(Reference("l")))])])
        func plan(_ sql: String) throws -> String {
            try store.sql("EXPLAIN QUERY PLAN \(sql)").map { $0.last.flatMap { $0 } ?? "" }.joined(separator: "; ")
        }
        #expect(try plan("SELECT * FROM Items WHERE list = 'x'").contains("cabinet_reference_Items.list"))
        #expect(try plan("SELECT * FROM Items WHERE ___parent = 'x'").contains("cabinet_parent_Items"))
        // The table has the records of the default zone in their order; those of another zone need an index.
        #expect(
            try plan("SELECT * FROM Items WHERE ___insertion > 5 ORDER BY ___insertion")
                == "SEARCH Items USING INTEGER PRIMARY KEY (rowid>?)")
        try await store.insert([StoredRecord("a", zone: RecordZone.ID(zoneName: "Travel"))])
        let inZone = try plan("SELECT * FROM Items WHERE ___zone = 2 AND ___insertion > 5 ORDER BY ___insertion")
        #expect(inZone == "SEARCH Items USING INDEX cabinet_zone_Items (___zone=? AND rowid>?)")
        let changes = "___zone = 1 AND ___etag > 5 AND ___etag <> ___insertion ORDER BY ___etag"
        #expect(
            try plan("SELECT * FROM Items WHERE \(changes)")
                == "SEARCH Items USING INDEX cabinet_change_Items (___zone=? AND ___etag>?)")
        #expect(try plan("SELECT * FROM cabinet_record WHERE recordName = 'x' AND zone = 1").contains("PRIMARY KEY"))
        // Names are in no other index.
        #expect(try store.sql("SELECT 1 FROM sqlite_master WHERE type = 'index' AND sql LIKE '%___recordID%'") == [])
    }

    @Test func whatWasNeverWrittenLeavesNoFile() async throws {
        let store = Store()
        #expect(try await store.record(RecordID(recordName: "r")) == nil)
        #expect(try await store.record(RecordID(recordName: "r"), in: .private(owner: "u")) == nil)
        let plan = try QueryPlan(recordType: "Items", filter: .constant(true), fields: [:])
        let (page, count, schema, references) = try await store.backend.read(.public) {
            (
                try await $0.records(matching: plan), try await $0.count(matching: plan), try await $0.schema(),
                try await $0.references(to: [RecordID(recordName: "r")])
            )
        }
        #expect(page.isEmpty && count == 0 && schema == StoredSchema() && references.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: store.directory.path))
        // An empty snapshot does not prevent the next one from seeing later writes.
        try await store.insert([StoredRecord("r")])
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
    }

    @Test func everyDatabaseIsAFileOfItsOwn() async throws {
        let store = Store()
        let databases: [DatabaseKey] = [
            .public, .private(owner: "_abc"), .private(owner: "_ABC"), .shared(owner: "_abc"),
            .private(owner: "../x/ü"),
        ]
        for (number, database) in databases.enumerated() {
            try await store.insert([StoredRecord("r\(number)")], in: database)
        }
        for (number, database) in databases.enumerated() {
            for other in databases.indices {
                #expect(
                    (try await store.record(RecordID(recordName: "r\(other)"), in: database) != nil)
                        == (number == other))
            }
        }
        await store.backend.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.directory.path).sorted()
                == [
                    "private-%2e%2e%2fx%2f%c3%bc.sqlite", "private-_%41%42%43.sqlite", "private-_abc.sqlite",
                    "public.sqlite",
                    "shared-_abc.sqlite",
                ].map { $0.replacingOccurrences(of: "%2e", with: ".") }.sorted())
    }
}
