import Cabinet
import CabinetTools
import Foundation
import Testing

/// A store in memory with items of every kind, and two users.
struct SampleStore {
    static let anna = DatabaseKey.private(owner: "_anna")
    static let zoneID = RecordZone.ID(zoneName: "Work")

    let backend = MemoryBackend()
    let container: Container

    var database: Database { container.privateDatabase }

    init() throws {
        container = try Self.container(over: backend)
    }

    static func container(over backend: any StorageBackend, user: String = "_anna") throws -> Container {
        try Container(
            identifier: "com.example.tools", backend: backend, account: Account(userRecordName: user),
            changeRetention: ChangeRetention(count: 1_000))
    }

    /// A filled store.
    static func filled() async throws -> SampleStore {
        let store = try SampleStore()
        try await store.fill()
        return store
    }

    func fill() async throws {
        var schema = Schema()
        schema["Items"]["name"] = .init(.string, [.queryable, .sortable, .searchable])
        schema["Items"]["number"] = .init(.int64, .sortable)
        schema["Items"]["at"] = .init(.location, .queryable)
        schema["Items"].indexes = [["name", "number"]]
        try await container.apply(schema)
        try await database.save(RecordZone(zoneID: Self.zoneID))
        try await database.save(RecordZone(zoneName: "Gone"))
        try await database.save(DatabaseSubscription(subscriptionID: "all"))
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .field("number") > 3, subscriptionID: "some",
                options: [.firesOnRecordCreation, .firesOnRecordDeletion]))
        for zoneID in [RecordZone.ID.default, Self.zoneID] {
            let list = Record(recordType: "Lists", recordID: RecordID(recordName: "list", zoneID: zoneID))
            let items = (0..<12).map { number in
                var item = Record(
                    recordType: "Items", recordID: RecordID(recordName: "item \(number)", zoneID: zoneID))
                item["name"] = number % 5 == 0 ? nil : "Item \(number)"
                item["number"] = number
                item["list"] = Reference(record: list, action: .deleteSelf)
                item["at"] = Location(latitude: Double(number), longitude: 0)
                if number % 4 == 1 { item["file"] = Asset(data: Data(repeating: UInt8(number), count: 100)) }
                return item
            }
            _ = try await database.modifyRecords(saving: [list] + items, deleting: [])
        }
        try await database.deleteRecord(withID: RecordID(recordName: "item 3", zoneID: Self.zoneID))
        try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "Gone"))
        // Another device of the user, so that the subscriptions notify this one.
        let other = try Self.container(over: backend)
        try await other.privateDatabase.save(Record(recordType: "Items", recordID: "other").with(number: 7))
    }

    /// Stores texts under keys, as damage would.
    func overwrite(_ entries: [String: String?], in database: DatabaseKey = Self.anna) async throws {
        try await backend.write(database) { transaction in
            try await transaction.apply(entries.map { .setEntry(StorageKey($0.key), $0.value) })
        }
    }

    /// Reads all entries whose keys begin with a text.
    static func entries(
        _ prefix: String, of backend: any StorageBackend, in database: DatabaseKey = Self.anna
    ) async throws -> [StorageEntry] {
        try await backend.read(database) { snapshot in
            try await snapshot.entries(in: StorageKey(prefix)..<StorageKey(prefix + "~"), limit: .max)
        }
    }
}

extension Record {
    func with(number: Int) -> Record {
        var record = self
        record["number"] = number
        return record
    }
}
