@testable import CabinetCloudKit
import Synchronization
import Testing

/// Patterns of real programs that break when a record is a value instead of an object.
@Suite("Programs that rely on objects")
struct PatternTests {
    /// A model that wraps its record, as many programs do.
    private final class Note: Sendable {
        let record: CKRecord

        init(_ record: CKRecord = CKRecord(recordType: "Notes")) { self.record = record }

        var title: String {
            get { record["title"] as? String ?? "" }
            set { record["title"] = newValue }
        }
    }

    @Test("a wrapper keeps its record, and saves it twice without fetching it", arguments: CloudStore.allCases)
    func wrapper(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let note = Note()
            note.title = "First"
            try await database.save(note.record)
            note.title = "Second"
            try await database.save(note.record)
            let fetched = try await database.record(for: note.record.recordID)
            #expect(Note(fetched).title == "Second")
        }
    }

    @Test("a function fills the record that it gets, and the caller's record has the values")
    func filling() {
        func fill(_ record: CKRecord) { record["name"] = "Milk" }
        let record = CKRecord(recordType: "Items")
        fill(record)
        for item in [record] { item["count"] = 2 }
        #expect(record["name"] as? String == "Milk" && record["count"] as? Int == 2)
    }

    @Test("a record that is in an array and in a dictionary is one record", arguments: CloudStore.allCases)
    func collections(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let records = (0..<3).map { CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "\($0)")) }
            let byID = Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) })
            _ = try await database.modifyRecords(saving: records, deleting: [])
            #expect(byID.values.allSatisfy { $0.recordChangeTag != nil })
            let fetched = try await database.record(for: records[1].recordID)
            #expect(records.firstIndex(of: fetched) == 1)
            byID[fetched.recordID]?["name"] = "new"
            #expect(records[1]["name"] as? String == "new")
        }
    }

    @Test("a merge into the server's record of a conflict is saved", arguments: CloudStore.allCases)
    func merge(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            try await database.save(record)
            let other = try await database.record(for: record.recordID)
            other["count"] = 1
            try await database.save(other)
            record["name"] = "Milk"
            do {
                try await database.save(record)
            } catch let error as CKError {
                let server = try #require(error.serverRecord)
                for key in record.changedKeys() { server[key] = record[key] }
                try await database.save(server)
            }
            let merged = try await database.record(for: record.recordID)
            #expect(merged["name"] as? String == "Milk" && merged["count"] as? Int == 1)
        }
    }

    @Test("a change while a save is under way stays, and is sent by the next save")
    func changeDuringSave() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            record["count"] = 1
            let sent = record.value
            let other = try #require(record.copy() as? CKRecord)
            try await database.save(other)
            record["name"] = "Bread"
            record["colour"] = "white"
            record["count"] = nil
            record.adopt(other.value, sent: sent, of: nil)
            #expect(record.recordChangeTag == other.recordChangeTag)
            #expect(Set(record.changedKeys()) == ["name", "colour", "count"])
            try await database.save(record)
            let saved = try await database.record(for: record.recordID)
            #expect(saved["name"] as? String == "Bread" && saved["colour"] as? String == "white")
            #expect(saved["count"] == nil)
        }
    }

    @Test("a parent that is set while a save is under way stays")
    func parentDuringSave() throws {
        let record = CKRecord(recordType: "Items")
        let sent = record.value
        record.setParent(CKRecord.ID(recordName: "parent"))
        record.adopt(sent, sent: sent, of: nil)
        #expect(record.parent?.recordID.recordName == "parent")
    }

    @Test("blocks of operations collect records in a variable of the caller's class")
    func collecting() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            try await database.save(record)
            let found = Mutex<[CKRecord]>([])
            let operation = CKQueryOperation(
                query: CKQuery(recordType: "Items", predicate: NSPredicate(value: true)))
            operation.recordFetchedBlock = { record in found.withLock { $0.append(record) } }
            await database.run(operation)
            #expect(found.withLock { $0 } == [record])
        }
    }

    @Test("policies: changed keys overwrite, and all keys create again", arguments: CloudStore.allCases)
    func policies(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            try await database.save(record)
            let stale = try await database.record(for: record.recordID)
            record["count"] = 1
            try await database.save(record)
            stale["name"] = "Bread"
            _ = try await database.modifyRecords(saving: [stale], deleting: [], savePolicy: .changedKeys)
            let merged = try await database.record(for: record.recordID)
            #expect(merged["name"] as? String == "Bread" && merged["count"] as? Int == 1)
            try await database.deleteRecord(withID: record.recordID)
            let (results, _) = try await database.modifyRecords(
                saving: [merged], deleting: [], savePolicy: .allKeys)
            #expect(try results[record.recordID]?.get() === merged)
        }
    }
}
