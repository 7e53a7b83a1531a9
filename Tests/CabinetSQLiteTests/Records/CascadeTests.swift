import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

@Suite("Deleting a list of 10,000 items")
struct CascadeTests {
    @Test("It is one commit before the cleanup's, and leaves no orphan")
    func oneCommit() async throws {
        let store = Store()
        let database = try Container(identifier: "com.example.shopping", backend: store.backend).publicDatabase
        let list = try await database.save(Record(recordType: "Lists"))
        let items = (0..<10_000).map { number in
            var item = Record(recordType: "Items")
            item["number"] = number
            item["list"] = Reference(record: list, action: .deleteSelf)
            return item
        }
        _ = try await database.modifyRecords(saving: items, deleting: [])
        #expect(try await database.count(matching: Query(recordType: "Items")) == 10_000)

        let writer = try #require(store.backend.files.openFile(.public)).writer
        let commits = writer.statistics.commits
        try await database.deleteRecord(withID: list.recordID)
        // Old deletions are forgotten in a second transaction.
        #expect(writer.statistics.commits == commits + 2)
        for table in ["Items", "Lists"] {
            #expect(try store.sql("SELECT count(*) FROM \(table)") == [["0"]])
        }
        // Neighbors in the file are deleted one after the other; in any other order each deletion would begin at
        // another page.
        let order = try store.sql("SELECT recordName FROM cabinet_deletion ORDER BY sequence").map(\.[0])
        #expect(order == [list.recordID.recordName] + items.map(\.recordID.recordName))
        // The user record remains.
        #expect(try store.sql("SELECT recordName FROM cabinet_record") == [["_default_user"]])
    }

    /// A user's name never hides a name of the statements that delete.
    @Test(arguments: ["list", "value", "json_each", "cabinet_rows", "___insertion"])
    func anyNameCanBeDeleted(name: String) async throws {
        let store = Store()
        let records = (0..<3).map { StoredRecord("r\($0)", type: name, [("key", .int64(7)), ("value", .int64(8))]) }
        let ids = try await store.insert(records).map(\.recordID)
        try await store.backend.write(.public) {
            try await $0.remove(ids, firstSequenceNumber: 1_000, date: Date())
        }
        #expect(
            try store.sql("SELECT recordName, sequence FROM cabinet_deletion ORDER BY sequence")
                == [["r0", "1000"], ["r1", "1001"], ["r2", "1002"]])
        #expect(try store.sql("SELECT count(*) FROM cabinet_record") == [["0"]])
    }
}
