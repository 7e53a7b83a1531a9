import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Files of layout 1, which knew no zones and no deletions, of layout 2, which knew no assets, of layout 3, which had
/// the last number in a table of its own, and of layout 4, which knew no timelines.
@Suite(.timeLimit(.minutes(1))) struct LayoutUpgradeTests {
    /// A store of an old layout with ten records.
    private func oldStore(layout: Int = 1) async throws -> Store {
        let first = Store()
        try await first.insert((0..<10).map { StoredRecord("r\($0)", [("number", .int64(Int64($0)))]) })
        try await first.backend.write(.public) { transaction in
            try await transaction.add([StoredField(name: "image", type: .asset)], to: "Items")
            try await transaction.markZones([.default], sequenceNumber: 10)
        }
        await first.backend.close()
        try first.goBack(toLayout: layout)
        let copy = Store()
        try FileManager.default.createDirectory(at: copy.directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: first.path, toPath: copy.path)
        return copy
    }

    private func database(_ store: Store) throws -> Database {
        try Container(
            identifier: "org.cabinet.layout", backend: store.backend, account: Account(userRecordName: "_creator")
        ).publicDatabase
    }

    @Test(arguments: [1, 2, 3, 4]) func readingLeavesAnOldFileAsItIs(layout: Int) async throws {
        let store = try await oldStore(layout: layout)
        let database = try database(store)
        #expect(try await database.count(matching: Query(recordType: "Items")) == 10)
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        #expect(try await database.databaseChanges(since: nil).modifications.map(\.zoneID) == [.default])
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(page.modificationResultsByID.count == 10)
        #expect(try store.sql("PRAGMA user_version") == [["\(layout)"]])
    }

    @Test(arguments: [1, 2, 3, 4]) func assetsAreThereAfterTheFirstWrite(layout: Int) async throws {
        let store = try await oldStore(layout: layout)
        let asset = try StoredAsset(1, size: 3)
        try await store.backend.read(.public) { snapshot async throws in
            #expect(try await snapshot.assets(after: nil, limit: 1).isEmpty)
            #expect(try await snapshot.assets(for: [asset.checksum]) == [nil])
            #expect(try await snapshot.assetsInUse(among: [asset.checksum]).isEmpty)
            #expect(try await snapshot.bytes(of: asset.checksum, in: 0..<1) == nil)
        }
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
        #expect(try store.sql("PRAGMA user_version") == [["\(layout)"]])
        try await store.add(asset, of: Data([1, 2, 3]), to: ["new"])
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
        #expect(
            try await store.backend.read(.public) { try await $0.assetsInUse(among: [asset.checksum]) } == [
                asset.checksum
            ])
        #expect(try store.sql("SELECT name FROM sqlite_master WHERE name LIKE 'cabinet_asset_Items%'").count == 1)
    }

    @Test(arguments: [1, 2, 3, 4]) func theFirstWriteBringsItUpToDate(layout: Int) async throws {
        let store = try await oldStore(layout: layout)
        let database = try database(store)
        let (_, _, early, _) = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let query = Query(recordType: "Items", sortedBy: [Sort("number")])
        var states = database.observe(query).makeAsyncIterator()
        #expect(try await states.next()?.count == 10)
        try await database.deleteRecord(withID: RecordID(recordName: "r3"))
        #expect(try await states.next()?.count == 9)
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
        // Who has asked before goes on from there.
        let late = try await database.recordZoneChanges(inZoneWith: .default, since: early)
        #expect(late.modificationResultsByID.isEmpty && late.deletions.map(\.recordID.recordName) == ["r3"])
        // Who knows nothing gets what there is, and goes on from there.
        let (found, _, token, _) = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(found.count == 9)
        try await database.save(RecordZone(zoneName: "Travel"))
        try await database.deleteRecord(withID: RecordID(recordName: "r4"))
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
        #expect(changes.deletions.map(\.recordID.recordName) == ["r4"])
        #expect(try await database.databaseChanges(since: nil).modifications.count == 2)
    }

    /// What a new file has, an old one has once it is brought up to date.
    @Test(arguments: [1, 2, 3, 4]) func anOldFileBecomesOneLikeANewOne(layout: Int) async throws {
        func schema(_ store: Store) throws -> [[String?]] {
            let columns = try store.sql(
                """
                SELECT m.name, c.name, c.type, c."notnull", c.pk FROM sqlite_master AS m, pragma_table_info(m.name) AS c \
                WHERE m.name LIKE 'cabinet_%' ORDER BY m.name, c.name
                """)
            return try columns + store.sql("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")
        }
        let old = try await oldStore(layout: layout)
        let new = Store()
        try await new.insert((0..<10).map { StoredRecord("r\($0)", [("number", .int64(Int64($0)))]) })
        try await new.backend.write(.public) { transaction in
            try await transaction.add([StoredField(name: "image", type: .asset)], to: "Items")
        }
        for store in [old, new] { try await store.insert([StoredRecord("new")]) }
        #expect(try schema(old) == schema(new))
        let numbers = "SELECT zone, change, expiration, last FROM cabinet_zone_state"
        #expect(try old.sql(numbers) == [["1", "10", layout == 1 ? "10" : "0", "11"]])
    }

    @Test func aWriteThatFailsLeavesItAsItIs() async throws {
        let store = try await oldStore()
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await store.backend.write(.public) { transaction in
                _ = try await transaction.insertWithSchema([StoredRecord("new")])
                throw Failure()
            }
        }
        #expect(try store.sql("PRAGMA user_version") == [["1"]])
        try await store.insert([StoredRecord("new")])
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try await store.record(RecordID(recordName: "new")) != nil)
    }
}
