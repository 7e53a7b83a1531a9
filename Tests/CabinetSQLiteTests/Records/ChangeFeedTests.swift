import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

/// The change feed in the file, and its cost.
@Suite struct ChangeFeedTests {
    private func database(_ store: Store, retention: ChangeRetention = ChangeRetention()) throws -> Database {
        try Container(identifier: "org.cabinet.changes", backend: store.backend, changeRetention: retention)
            .publicDatabase
    }

    private func items(_ numbers: Range<Int>) -> [Record] {
        numbers.map { Record(recordType: "Items", recordID: RecordID(recordName: "r\($0)")) }
    }

    @Test func theShellShowsDeletions() async throws {
        let store = Store()
        let database = try database(store)
        _ = try await database.modifyRecords(saving: items(0..<3), deleting: [])
        try await database.deleteRecord(withID: RecordID(recordName: "r1"))
        let sql = """
            SELECT recordName, name, sequence > (SELECT max(___etag) FROM Items), date > 0
            FROM cabinet_deletion JOIN cabinet_record_type ON type = id
            """
        #expect(try store.sql(sql) == [["r1", "Items", "1", "1"]])
        _ = try await database.modifyRecords(saving: items(1..<2), deleting: [])
        #expect(try store.sql(sql) == [], "the record exists again")
    }

    /// Thousands of deletions, and the number of remembered ones.
    @Test func tenThousandDeletions() async throws {
        let store = Store(SQLiteConfiguration(durability: .normal))
        let database = try database(store, retention: ChangeRetention(count: 4_000))
        _ = try await database.modifyRecords(saving: items(0..<10_000), deleting: [])
        let (_, _, token, _) = try await database.recordZoneChanges(
            inZoneWith: .default, since: nil, desiredKeys: [], resultsLimit: .max)
        _ = try await database.modifyRecords(saving: [], deleting: items(0..<10_000).map(\.recordID))
        // The third number of a zone's entry is that of the last forgotten deletion.
        let state = try #require(try store.entry("database/zone/__defaultOwner__/_defaultZone"))
        let expiration = try #require(state.split(separator: " ").dropFirst(2).first)
        #expect(
            try store.sql("SELECT count(*), min(sequence) > \(expiration) FROM cabinet_deletion") == [["4000", "1"]])
        await #expect {
            _ = try await database.recordZoneChanges(inZoneWith: .default, since: token)
        } throws: { CabinetError.Code.changeTokenExpired ~= $0 }
    }

    /// A page takes the same number of statements among many records as among few.
    @Test func statementsDoNotGrowWithRecords() async throws {
        var counts: [Int] = []
        for size in [100, 5_000] {
            let store = Store(SQLiteConfiguration(durability: .normal))
            let database = try database(store)
            _ = try await database.modifyRecords(saving: items(0..<size), deleting: [])
            let token = try await database.recordZoneChanges(
                inZoneWith: .default, since: nil, desiredKeys: [], resultsLimit: .max
            ).changeToken
            for number in 0..<3 {
                try await database.update(RecordID(recordName: "r\(number)")) { $0["x"] = number }
            }
            let last = try store.entry("database")?.split(separator: " ").first
            let number = try #require(last.flatMap { Int64($0) })
            _ = try await database.recordZoneChanges(inZoneWith: .default, since: token)
            counts.append(
                try await store.backend.read(.public) { snapshot in
                    let snapshot = try #require(snapshot as? SQLiteSnapshot)
                    return try snapshot.session.use { connection in
                        let log = StatementLog()
                        log.follow(connection)
                        let found = try connection.changes(
                            in: .default, after: number - 3, limit: 10, of: .all(fields: nil))
                        #expect(found.count == 3)
                        return log.take().runs.count
                    }
                })
        }
        // One for the deletions, and one for each record type: Items and Users.
        #expect(counts == [3, 3])
    }

    /// Every statement of the feed finds its rows by an index.
    @Test(arguments: [
        "SELECT recordName, type, sequence, date FROM cabinet_deletion WHERE zone = 1 AND sequence > 5 AND sequence < 9 ORDER BY sequence LIMIT 3",
        "SELECT value FROM cabinet_entry WHERE key = 'database'",
        "SELECT key, value FROM cabinet_entry WHERE key >= 'a' AND key < 'b' ORDER BY key LIMIT 3",
        "DELETE FROM cabinet_deletion WHERE recordName = 'x' AND zone = 1",
        "DELETE FROM cabinet_deletion WHERE zone = 1 AND sequence <= 7",
        "DELETE FROM cabinet_entry WHERE key = 'database'",
    ])
    func theFeedNeverScans(sql: String) async throws {
        let store = Store()
        let database = try database(store)
        _ = try await database.modifyRecords(saving: items(0..<3), deleting: [])
        let plan = try plan(of: sql, in: store)
        #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
    }

    private func plan(of sql: String, in store: Store) throws -> [String] {
        try store.sql("EXPLAIN QUERY PLAN \(sql)").map { $0.last.flatMap { $0 } ?? "" }
    }

    /// The changed rows are in an index, and the others in the table or in the index by zone.
    ///
    /// Nothing is sorted.
    @Test func aPageMergesChangedRowsWithOthers() async throws {
        let store = Store()
        let database = try database(store)
        _ = try await database.modifyRecords(saving: items(0..<3), deleting: [])
        let travel = try await database.save(RecordZone(zoneName: "Travel")).zoneID
        for index in ["INTEGER PRIMARY KEY (", "INDEX cabinet_zone_Items (___zone=? AND "] {
            let sql = try await store.backend.read(.public) { snapshot in
                let snapshot = try #require(snapshot as? SQLiteSnapshot)
                return try snapshot.session.use { connection in
                    try #require(connection.catalog.tablesByType["Items"]).pageOfChanges(
                        selecting: #""___recordID", "___etag""#)
                }
            }
            #expect(
                try plan(of: sql, in: store) == [
                    "MERGE (UNION ALL)", "LEFT",
                    "SEARCH Items USING INDEX cabinet_change_Items (___zone=? AND ___etag>? AND ___etag<?)", "RIGHT",
                    "SEARCH Items USING \(index)rowid>? AND rowid<?)",
                ])
            try await database.save(Record(recordType: "Items", recordID: RecordID(zoneID: travel)))
            #expect(try plan(of: #"DELETE FROM "Items" WHERE "___zone" = 2"#, in: store)[0].hasPrefix("SEARCH"))
        }
    }

    /// Records that changed after their insertion come later in the feed, on pages of any length.
    @Test(arguments: [1, 2, 3, 5, 100])
    func changedRecordsComeInTheOrderOfTheirChanges(limit: Int) async throws {
        let store = Store()
        let database = try database(store)
        _ = try await database.modifyRecords(saving: items(0..<6), deleting: [])
        for number in [4, 1] { try await database.update(RecordID(recordName: "r\(number)")) { $0["x"] = number } }
        _ = try await database.modifyRecords(saving: items(6..<9), deleting: [RecordID(recordName: "r0")])
        for number in [7, 1, 2] { try await database.update(RecordID(recordName: "r\(number)")) { $0["x"] = number } }
        var names: [String] = []
        var token: ServerChangeToken?
        while true {
            let page = try await database.recordZoneChanges(
                inZoneWith: .default, since: token, resultsLimit: limit)
            let records = try page.modificationResultsByID.values.map { try $0.get().record }
            let tags = try store.sql("SELECT ___recordID FROM Items ORDER BY ___etag").map { $0[0] ?? "" }
            names += records.map(\.recordID.recordName).sorted {
                tags.firstIndex(of: $0) ?? 0 < tags.firstIndex(of: $1) ?? 0
            }
            token = page.changeToken
            if !page.moreComing { break }
        }
        #expect(names == ["r3", "r5", "r4", "r6", "r8", "r7", "r1", "r2"])
        #expect(try store.sql("SELECT count(*) FROM Items WHERE ___etag <> ___insertion") == [["4"]])
    }

    /// The cost of a page does not depend on the number of records.
    @Test func aReadCostsTheChangedRows() async throws {
        let store = Store(SQLiteConfiguration(durability: .normal))
        let database = try database(store)
        _ = try await database.modifyRecords(saving: items(0..<20_000), deleting: [])
        let (_, _, token, _) = try await database.recordZoneChanges(
            inZoneWith: .default, since: nil, desiredKeys: [], resultsLimit: .max)
        _ = try await database.modifyRecords(
            saving: items(20_000..<20_005), deleting: [RecordID(recordName: "r7"), RecordID(recordName: "r8")])
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: token, resultsLimit: 7)
        #expect(page.modificationResultsByID.count == 5 && page.deletions.count == 2 && !page.moreComing)
        let first = try await database.recordZoneChanges(inZoneWith: .default, since: token, resultsLimit: 3)
        #expect(first.moreComing)
        let rest = try await database.recordZoneChanges(
            inZoneWith: .default, since: first.changeToken, resultsLimit: .max)
        #expect(rest.modificationResultsByID.count + rest.deletions.count == 4 && !rest.moreComing)
    }

    @Test func theLastNumbersAreRefusedAndNotOverrun() async throws {
        let store = Store()
        let database = try database(store, retention: ChangeRetention(count: 0))
        _ = try await database.modifyRecords(saving: items(0..<4), deleting: [])
        await store.backend.close()
        try store.sql("UPDATE cabinet_entry SET value = '\(Int64.max - 4)' WHERE key = 'database'")
        let reopened = Store(in: store.directory)
        let late = try self.database(reopened, retention: ChangeRetention(count: 0))
        // Every number but the last is valid.
        _ = try await late.modifyRecords(saving: items(4..<5), deleting: [RecordID(recordName: "r0")])
        try await late.deleteRecord(withID: RecordID(recordName: "r1"))
        await #expect { _ = try await late.deleteRecord(withID: RecordID(recordName: "r2")) } throws: {
            CabinetError.Code.limitExceeded ~= $0
        }
        #expect(try await late.count(matching: Query(recordType: "Items")) == 3)
        _ = try await late.databaseChanges(since: nil)
    }

    @Test func aDamagedTableIsReported() async throws {
        for sql in [
            "INSERT INTO cabinet_deletion VALUES (1, 9999, 'x', 77, 0)",
            "INSERT INTO cabinet_deletion VALUES (1, 9999, x'ff', 1, 0)",
            "INSERT INTO cabinet_deletion VALUES (1, \(Int64.min), 'x', 1, 0)",
        ] {
            let store = Store()
            let database = try database(store)
            _ = try await database.modifyRecords(saving: items(0..<2), deleting: [])
            await store.backend.close()
            try store.sql(sql)
            let reopened = Store(in: store.directory)
            let damaged = try self.database(reopened, retention: ChangeRetention(age: 0, count: 0))
            // A number that was never assigned is not read.
            if !sql.contains("\(Int64.min)") {
                await #expect { _ = try await damaged.recordZoneChanges(inZoneWith: .default, since: nil) } throws: {
                    CabinetError.Code.internalError ~= $0
                }
            }
            // A tombstone that cannot be forgotten does not prevent further deletions.
            try await damaged.deleteRecord(withID: RecordID(recordName: "r0"))
            #expect(try await damaged.count(matching: Query(recordType: "Items")) == 1)
        }
    }
}
