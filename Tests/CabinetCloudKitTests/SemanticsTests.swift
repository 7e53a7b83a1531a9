import CabinetCloudKit
import Testing

/// CloudKit's semantics, as Cabinet's conformance rules have them, through CloudKit's classes.
@Suite("CloudKit's semantics through its classes")
struct SemanticsTests {
    private let zone = CKRecordZone(zoneName: "Zone")

    private func record(_ name: String, type: String = "Items") -> CKRecord {
        CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    }

    @Test("desired keys limit the fields of fetches, queries and changes", arguments: CloudStore.allCases)
    func desiredKeys(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            let record = record("a")
            record["name"] = "Milk"
            record["count"] = 2
            try await database.save(record)
            let fetched = try await database.records(for: [record.recordID], desiredKeys: ["count"])
            #expect(try fetched[record.recordID]?.get().allKeys() == ["count"])
            let query = CKQuery(recordType: "Items", predicate: NSPredicate(value: true))
            let (found, _) = try await database.records(matching: query, desiredKeys: [])
            #expect(try found.map { try $0.1.get().allKeys() } == [[]])
            let changes = try await database.recordZoneChanges(
                inZoneWith: zone.zoneID, since: nil, desiredKeys: ["name"])
            #expect(try changes.modificationResultsByID[record.recordID]?.get().record.allKeys() == ["name"])
            // A partial record can be saved: the other fields stay.
            let partial = try #require(try fetched[record.recordID]?.get())
            partial["count"] = 3
            try await database.save(partial)
            #expect(try await database.record(for: record.recordID)["name"] as? String == "Milk")
        }
    }

    @Test("a recreated zone expires its tokens, and tokens of other zones are refused", arguments: CloudStore.allCases)
    func tokens(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            try await database.save(CKRecordZone(zoneName: "Other"))
            let token = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil).changeToken
            let other = CKRecordZone.ID(zoneName: "Other")
            #expect(
                await code { try await database.recordZoneChanges(inZoneWith: other, since: token) }
                    == .invalidArguments)
            try await database.deleteRecordZone(withID: zone.zoneID)
            #expect(
                await code { try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token) }
                    == .zoneNotFound)
            try await database.save(zone)
            #expect(
                await code { try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token) }
                    == .changeTokenExpired)
        }
    }

    @Test("one failure reverts its custom zone, and no other one", arguments: CloudStore.allCases)
    func atomicity(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            try await database.save(record("taken"))
            let apart = CKRecord(recordType: "Items")
            let batch = [record("new"), record("taken"), apart]
            let errors = await partialErrors { try await database.modifyRecords(saving: batch, deleting: []) }
            #expect(errors == [batch[0].recordID: .batchRequestFailed, batch[1].recordID: .serverRecordChanged])
            #expect(apart.recordChangeTag != nil && batch[0].recordChangeTag == nil)
            let (loose, _) = try await database.modifyRecords(saving: batch, deleting: [], atomically: false)
            #expect(await code { try loose[batch[0].recordID]?.get() } == nil)
        }
    }

    @Test("parents must exist, and a parent stays while it has children", arguments: CloudStore.allCases)
    func parents(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            let (parent, child) = (record("parent"), record("child"))
            child.setParent(parent)
            #expect(await code { try await database.save(child) } == .referenceViolation)
            _ = try await database.modifyRecords(saving: [child, parent], deleting: [])
            #expect(child.recordChangeTag != nil)
            #expect(await code { try await database.deleteRecord(withID: parent.recordID) } == .referenceViolation)
            let both = [parent.recordID, child.recordID]
            let (_, deleted) = try await database.modifyRecords(saving: [], deleting: both)
            #expect(await code { for id in both { try deleted[id]?.get() } } == nil)
        }
    }

    @Test(
        "deletions cascade through references, and a dangling reference without an action stays",
        arguments: CloudStore.allCases)
    func references(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            let (list, item, note) = (record("list", type: "Lists"), record("item"), record("note", type: "Notes"))
            item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
            note["list"] = CKRecord.Reference(record: list, action: .none)
            _ = try await database.modifyRecords(saving: [note, item, list], deleting: [])
            try await database.deleteRecord(withID: list.recordID)
            #expect(await code { try await database.record(for: item.recordID) } == .unknownItem)
            let reference = try await database.record(for: note.recordID)["list"] as? CKRecord.Reference
            #expect(reference?.recordID == list.recordID)
        }
    }

    @Test("requests and records have CloudKit's limits", arguments: CloudStore.allCases)
    func limits(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let records = (0...400).map { CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "\($0)")) }
            #expect(
                await code { try await database.modifyRecords(saving: records, deleting: []) } == .limitExceeded)
            let large = CKRecord(recordType: "Items")
            large["data"] = Data(count: 1_100_000)
            #expect(await code { try await database.save(large) } == .limitExceeded)
        }
    }

    @Test("subscriptions of the three kinds are kept, listed and deleted", arguments: CloudStore.allCases)
    func subscriptions(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            try await database.save(record("a"))
            let query = CKQuerySubscription(
                recordType: "Items", predicate: NSPredicate(value: true), subscriptionID: "query")
            #expect(query.recordType == "Items" && query.querySubscriptionOptions.contains(.firesOnRecordDeletion))
            let kinds: [CKSubscription] = [
                query, CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"),
                CKDatabaseSubscription(subscriptionID: "database"),
            ]
            let (saved, _) = try await database.modifySubscriptions(saving: kinds, deleting: [])
            #expect(saved.count == 3)
            #expect(
                Set(try await database.allSubscriptions().map(\.subscriptionType)) == [.query, .recordZone, .database])
            try await database.deleteSubscription(withID: "zone")
            #expect(await code { try await database.subscription(for: "zone") } == .unknownItem)
        }
    }
}
