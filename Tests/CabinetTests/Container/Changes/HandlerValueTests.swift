import Cabinet
import Testing

@Suite("The arguments of a program's handlers can be created in its tests")
struct HandlerValueTests {
    /// A program's handler.
    private struct Cache {
        var records: [RecordID: Record] = [:]
        var zones: Set<RecordZone.ID> = []
        var token: ServerChangeToken?

        mutating func apply(_ page: RecordZoneChangePage) {
            for deletion in page.deletions { records[deletion.recordID] = nil }
            for change in page.modifications { records[change.record.recordID] = change.record }
            token = page.changeToken
        }

        mutating func apply(_ page: DatabaseChangePage) {
            for deletion in page.deletions { zones.remove(deletion.zoneID) }
            for change in page.modifications { zones.insert(change.zoneID) }
        }
    }

    private let container: Container

    init() throws {
        container = try Container(identifier: "com.example.handlers", backend: MemoryBackend())
    }

    @Test("Pages of changes")
    func pages() async throws {
        let token = try await container.privateDatabase.databaseChanges(since: nil).changeToken
        var cache = Cache()
        cache.apply(
            RecordZoneChangePage(
                modifications: ["a", "b"].map {
                    .init(record: Record(recordType: "Items", recordID: RecordID(recordName: $0)))
                },
                changeToken: token, moreComing: true))
        cache.apply(
            RecordZoneChangePage(deletions: [.init(recordID: "a", recordType: "Items")], changeToken: token))
        #expect(cache.records.keys.map(\.recordName) == ["b"])
        #expect(cache.token == token)
        let travel = RecordZone.ID(zoneName: "Travel")
        cache.apply(DatabaseChangePage(modifications: [.init(zoneID: travel)], changeToken: token))
        #expect(cache.zones == [travel])
        let deletion = DatabaseChange.Deletion(zoneID: travel)
        #expect(deletion.reason == .deleted)
        cache.apply(DatabaseChangePage(deletions: [deletion], changeToken: token))
        #expect(cache.zones == [])
    }

    @Test("Notifications, progress and differences")
    func others() async throws {
        let token = try await container.fetchNotifications(since: nil).token
        let notification = SubscriptionNotification(
            subscriptionID: "all", databaseScope: .private, event: .database, token: token)
        #expect(notification.event == .database)
        let progress = AssetProgress(recordID: "a", fieldKey: "image", completedBytes: 1, totalBytes: 4)
        #expect(progress.fractionCompleted == 0.25)
        let difference = RecordDifference(from: [], to: [Record(recordType: "Items", recordID: "a")])
        #expect(difference.inserted.map(\.recordID) == ["a"])
        let conflict = FieldConflict(key: "number", clientValue: 2, serverValue: 3, ancestorValue: nil)
        #expect(conflict.clientValue as? Int == 2 && conflict.serverValue as? Int == 3)
        #expect(conflict.ancestorValue == nil)
    }

    @Test("The result of an item gives its code, or its record")
    func results() async throws {
        let database = container.privateDatabase
        try await database.save(Record(recordType: "Items", recordID: "a"))
        let results = try await database.records(for: ["a", "b"])
        #expect(results["a"]?.record?.recordID == "a")
        #expect(results["a"]?.code == nil)
        #expect(results["b"]?.record == nil)
        #expect(results["b"]?.code == .unknownItem)
        let deletion = try await database.modifyRecords(saving: [], deleting: ["a"]).deleteResults["a"]
        #expect(deletion?.code == nil)
    }
}
