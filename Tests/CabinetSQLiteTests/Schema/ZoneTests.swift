import Cabinet
import Foundation
import SQLSupport
import Testing

@testable import CabinetSQLite

/// Zones in the file.
@Suite struct ZoneTests {
    private func database(_ store: Store) throws -> Database {
        try Container(identifier: "org.cabinet.zones", backend: store.backend).publicDatabase
    }

    private func zone(_ name: String) -> RecordZone.ID { RecordZone.ID(zoneName: name) }

    private func item(_ name: String, in zoneID: RecordZone.ID) -> Record {
        Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zoneID))
    }

    @Test func theShellShowsZones() async throws {
        let store = Store()
        let database = try database(store)
        try await database.save(RecordZone(zoneName: "Travel"))
        try await database.save(item("a", in: zone("Travel")))
        try await database.save(item("b", in: .default))
        let sql = "SELECT key FROM cabinet_entry WHERE key GLOB 'database/*' ORDER BY key"
        #expect(
            try store.sql(sql) == [
                ["database/zone/__defaultOwner__/Travel"], ["database/zone/__defaultOwner__/_defaultZone"],
            ])
        #expect(try store.entry("database/zone/__defaultOwner__/Travel")?.hasSuffix(" _default_user") == true)
        #expect(
            try store.sql("SELECT zoneName FROM Items JOIN cabinet_zone ON ___zone = id ORDER BY id")
                == [["_defaultZone"], ["Travel"]])
        _ = try await database.deleteRecordZone(withID: zone("Travel"))
        let number = try #require(try store.entry("database/removalByZone/__defaultOwner__/Travel"))
        let name = String(repeating: "0", count: 19 - number.count) + number
        #expect(
            try store.sql(sql) == [
                ["database/removalByNumber/\(name)/__defaultOwner__/Travel"],
                ["database/removalByZone/__defaultOwner__/Travel"], ["database/zone/__defaultOwner__/_defaultZone"],
            ])
        #expect(try store.sql("SELECT ___recordID FROM Items") == [["b"]])
        #expect(try store.sql("SELECT count(*) FROM cabinet_record WHERE zone <> 1") == [["0"]])
    }

    @Test func aZonesNumberIsNeverReused() async throws {
        let store = Store()
        let database = try database(store)
        try await database.save(RecordZone(zoneName: "A"))
        #expect(try store.sql("SELECT count(*) FROM cabinet_zone") == [["1"]], "no record has been in it")
        try await database.save(item("a", in: zone("A")))
        _ = try await database.deleteRecordZone(withID: zone("A"))
        try await database.save(RecordZone(zoneName: "B"))
        try await database.save(item("b", in: zone("B")))
        try await database.save(RecordZone(zoneName: "A"))
        try await database.save(item("a", in: zone("A")))
        #expect(
            try store.sql("SELECT id, zoneName FROM cabinet_zone ORDER BY id")
                == [["1", "_defaultZone"], ["2", "A"], ["3", "B"]])
        let zones = try await database.allRecordZones().map(\.zoneID.zoneName).sorted()
        #expect(zones == ["A", "B", "_defaultZone"])
        let changed = try await database.databaseChanges(since: nil).modifications.map(\.zoneID.zoneName)
        #expect(changed.filter { $0 != "_defaultZone" } == ["B", "A"])
    }

    @Test func aNameMayBeLong() async throws {
        let store = Store()
        let database = try database(store)
        let id = zone(String(repeating: "z", count: 255))
        try await database.save(RecordZone(zoneID: id))
        try await database.save(item("a", in: id))
        #expect(try await database.record(for: RecordID(recordName: "a", zoneID: id)).recordID.zoneID == id)
    }

    /// With many zones no statement names them all, and the order of records is that of their insertion.
    @Test(arguments: [3, ZoneScope.mostNamed - 1, ZoneScope.mostNamed, 200])
    func recordsOfManyZonesAreSorted(count: Int) async throws {
        let store = Store()
        let database = try database(store)
        let zones = (0..<count).map { zone(["b", "B", "z_"][$0 % 3] + String($0 * 7919 % 1000)) }
        _ = try await database.modifyRecordZones(saving: zones.map { RecordZone(zoneID: $0) }, deleting: [])
        let records = (zones + [.default]).flatMap { [item("same", in: $0), item("x-\($0.zoneName)", in: $0)] }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let query = Query(recordType: "Items")
        let all = try await database.allRecords(matching: query).map(\.recordID)
        let expected = records.map(\.recordID)
        #expect(all == expected)
        var paged: [RecordID] = []
        var (results, cursor) = try await database.records(matching: query, resultsLimit: 7)
        paged += results.map(\.0)
        while let next = cursor {
            (results, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 7)
            paged += results.map(\.0)
        }
        #expect(paged == expected)
    }

    @Test func tenThousandZones() async throws {
        let store = Store(SQLiteConfiguration(durability: .normal))
        let database = try database(store)
        let zones = (0..<10_000).map { RecordZone(zoneName: "Z\($0)") }
        _ = try await database.modifyRecordZones(saving: zones, deleting: [])
        try await database.save(item("b", in: .default))
        let (_, _, token, _) = try await database.databaseChanges(since: nil, resultsLimit: .max)
        try await database.save(item("a", in: zones[7_777].zoneID))
        let changes = try await database.databaseChanges(since: token, resultsLimit: .max)
        #expect(changes.modifications.map(\.zoneID) == [zones[7_777].zoneID])
        #expect(try await database.allRecordZones().count == 10_001)
        #expect(
            try await database.allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName) == [
                "b", "a",
            ])
    }

    @Test(arguments: [
        ("UPDATE cabinet_entry SET value = x'ff' WHERE key GLOB '*/A'", "cabinet_entry"),
        ("UPDATE cabinet_entry SET value = '1 2' WHERE key GLOB '*/A'", "database/zone/__defaultOwner__/A"),
        ("UPDATE cabinet_zone SET zoneName = x'ff' WHERE id = 2", "cabinet_zone"),
    ])
    func aDamagedTableIsReported(sql: String, name: String) async throws {
        let store = Store()
        let database = try database(store)
        try await database.save(RecordZone(zoneName: "A"))
        try await database.save(item("a", in: zone("A")))
        await store.backend.close()
        try store.sql("PRAGMA foreign_keys = OFF")
        try store.sql(sql)
        let reopened = Store(in: store.directory)
        await #expect {
            let database = try self.database(reopened)
            _ = try await database.databaseChanges(since: nil)
            _ = try await database.allRecords(matching: Query(recordType: "Items"))
        } throws: { error in
            CabinetError.Code.internalError ~= error && "\(error)".contains(name)
        }
    }
}
