import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Files of layout 1, which knew no zones and no deletions.
@Suite(.timeLimit(.minutes(1))) struct LayoutUpgradeTests {
    /// A store of layout 1 with ten records.
    private func oldStore() async throws -> Store {
        let first = Store()
        try await first.insert((0..<10).map { StoredRecord("r\($0)", [("number", .int64(Int64($0)))]) })
        await first.backend.close()
        for sql in [
            "DROP TABLE cabinet_deletion", "DROP TABLE cabinet_zone_state", "DROP TABLE cabinet_index",
            "DROP TABLE cabinet_subscription", "DROP TABLE cabinet_notification",
            "DROP TABLE cabinet_notification_expiration",
            "PRAGMA user_version = 1",
        ] {
            try first.sql(sql)
        }
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

    @Test func readingLeavesAnOldFileAsItIs() async throws {
        let store = try await oldStore()
        let database = try database(store)
        #expect(try await database.count(matching: Query(recordType: "Items")) == 10)
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        #expect(try await database.databaseChanges(since: nil).modifications.map(\.zoneID) == [.default])
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(page.modificationResultsByID.count == 10)
        #expect(try store.sql("PRAGMA user_version") == [["1"]])
    }

    @Test func theFirstWriteBringsItUpToDate() async throws {
        let store = try await oldStore()
        let database = try database(store)
        let (_, _, early, _) = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let query = Query(recordType: "Items", sortedBy: [Sort("number")])
        var states = database.observe(query).makeAsyncIterator()
        #expect(try await states.next()?.count == 10)
        try await database.deleteRecord(withID: RecordID(recordName: "r3"))
        #expect(try await states.next()?.count == 9)
        #expect(try store.sql("PRAGMA user_version") == [["2"]])
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
        #expect(try store.sql("PRAGMA user_version") == [["2"]])
        #expect(try await store.record(RecordID(recordName: "new")) != nil)
    }
}
