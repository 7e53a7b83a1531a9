import Foundation
import Testing

@testable import Cabinet

/// Earlier versions stored subscriptions under their users alone.
@Suite("Subscriptions that an earlier version has stored")
struct EarlierSubscriptionTests {
    private let backend = MemoryBackend()

    private func container(_ user: String = "_anna") throws -> Container {
        try Container(identifier: "com.example.test", backend: backend, account: Account(userRecordName: user))
    }

    private static func query(_ id: String, _ type: String = "Items", once: Bool = false) -> Subscription {
        .query(
            QuerySubscription(
                recordType: type, filter: .constant(true), subscriptionID: id,
                options: once
                    ? [.firesOnRecordCreation, .firesOnce] : [.firesOnRecordCreation, .firesOnRecordDeletion]))
    }

    /// Stores subscriptions of Anna as an earlier version does, and one entry that is damaged.
    private func store(_ subscriptions: [Subscription]) async throws {
        let stored = subscriptions.map { StoredSubscription(userName: "_anna", subscription: $0) }
        try await backend.write(.public) { transaction in
            try await transaction.apply(
                stored.map { .setEntry($0.earlierKey, try StorageEntry.text(of: $0)) }
                    + [.setEntry(StorageKey("subscription/_ben/damaged"), "{}")])
        }
    }

    private func earlierKeys() async throws -> [String] {
        try await backend.read(.public) { snapshot in
            try await snapshot.allEntries(in: StoredSubscription.allEarlierKeys).map(\.key.text)
        }
    }

    private func subscriptionIDs() async throws -> [String] {
        try await container().publicDatabase.allSubscriptions().map(\.subscriptionID)
    }

    private func notifiedIDs() async throws -> [String] {
        try await container().fetchNotifications(since: nil).notifications.map(\.subscriptionID)
    }

    @Test("They fire with the first save, which moves them")
    func save() async throws {
        let zone = RecordZone.ID(zoneName: "Travel")
        try await store([
            Self.query("a"), Self.query("b", "Lists"), Self.query("once", once: true),
            .database(DatabaseSubscription(subscriptionID: "c")),
            .recordZone(RecordZoneSubscription(zoneID: zone, subscriptionID: "d")),
        ])
        #expect(try await subscriptionIDs() == ["a", "b", "c", "d", "once"])
        try await container("_ben").publicDatabase.save(Record(recordType: "Items"))
        #expect(try await notifiedIDs() == ["a", "c", "once"])
        #expect(try await earlierKeys() == ["subscription/_ben/damaged"])
        #expect(try await subscriptionIDs() == ["a", "b", "c", "d"])
        try await container("_ben").publicDatabase.save(Record(recordType: "Lists"))
        #expect(try await notifiedIDs() == ["a", "c", "once", "b", "c"])
        #expect(try await backend.read(.public) { try await $0.mutationsRepairingSubscriptions().count } == 0)
    }

    @Test("They are replaced and deleted")
    func modification() async throws {
        try await store([Self.query("a"), Self.query("b"), Self.query("c", "Lists")])
        let database = try container().publicDatabase
        let results = try await database.modifySubscriptions(
            saving: [Self.query("a", "Lists")], deleting: ["b", "none"])
        #expect(results.saveResults.count == 1)
        #expect(results.deleteResults.compactMapValues { try? $0.get() }.count == 1)
        #expect(try await subscriptionIDs() == ["a", "c"])
        #expect(try await earlierKeys() == ["subscription/_ben/damaged"])
        try await container("_ben").publicDatabase.save(Record(recordType: "Items"))
        #expect(try await notifiedIDs() == [])
        try await container("_ben").publicDatabase.deleteSubscription(withID: "damaged")
        #expect(try await earlierKeys() == [])
        #expect(try await backend.read(.public) { try await $0.mutationsRepairingSubscriptions().count } == 0)
    }

    @Test("They fire with the deletion of a zone, which moves or removes them")
    func zones() async throws {
        let zone = try await container().publicDatabase.save(RecordZone(zoneName: "Travel"))
        let record = Record(recordType: "Items", recordID: RecordID(recordName: "r", zoneID: zone.zoneID))
        try await container().publicDatabase.save(record)
        try await store([
            Self.query("a"), .recordZone(RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "b")),
        ])
        try await container().publicDatabase.deleteRecordZone(withID: zone.zoneID)
        let notifications = try await container().fetchNotifications(since: nil, includingOwnChanges: true)
        #expect(notifications.notifications.map(\.subscriptionID) == ["a", "b"])
        #expect(try await subscriptionIDs() == ["a"])
        #expect(try await earlierKeys() == ["subscription/_ben/damaged"])
    }

    @Test("A batch that fails leaves them")
    func failure() async throws {
        // Creates the user's record.
        try await container().publicDatabase.save(Record(recordType: "Items"))
        try await store([Self.query("a")])
        var record = Record(recordType: "Items")
        record["list"] = Reference(recordID: RecordID(recordName: "none"), action: .deleteSelf)
        await #expect(throws: CabinetError.self) { try await container().publicDatabase.save(record) }
        #expect(try await earlierKeys().count == 2)
        #expect(try await subscriptionIDs() == ["a"])
    }

    @Test("Each of two services sees what the other has changed, though both cache subscriptions")
    func services() async throws {
        let databases = try (0..<2).map { _ in
            let service = try LocalDatabaseService(
                backend: backend, schema: .growing, limits: .default, changeRetention: ChangeRetention(),
                now: { Date() }, subscriptionCache: SubscriptionCache())
            return try Container(
                identifier: "com.example.test", service: service, account: Account(userRecordName: "_anna")
            ).publicDatabase
        }
        var count = 0
        for (writer, other) in [(0, 1), (1, 0), (0, 1)] {
            try await databases[writer].save(Record(recordType: "Items"))
            _ = try await databases[other].modifySubscriptions(saving: [Self.query("\(writer)")], deleting: [])
            try await databases[writer].save(Record(recordType: "Items"))
            count += try await subscriptionIDs().count
            try await databases[other].deleteSubscription(withID: "\(writer)")
            try await databases[writer].save(Record(recordType: "Items"))
            let notifications = try await container().fetchNotifications(since: nil, includingOwnChanges: true)
            #expect(notifications.notifications.count == count)
        }
    }
}
