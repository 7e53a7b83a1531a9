import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

@Suite("A live query in iCloud")
struct SignalTests {
    private let query = Query(recordType: "Items", sortedBy: "number")

    /// The numbers of the next results, until they are the expected ones.
    private func expect(
        _ numbers: [Int], from results: inout RecordObservation.Iterator
    ) async throws {
        while let records = try await results.next() {
            if records.map({ $0["number"] ?? 0 }) == numbers { return }
        }
        Issue.record("The observation ended.")
    }

    @Test("shows the container's own changes, and those that a notification is about", .timeLimit(.minutes(15)))
    func notification() async throws {
        let world = ICloudWorld()
        let (container, database, zone) = try await world.zone()
        try await database.save(zone.record("a", number: 1))
        var results = database.observe(query, inZoneWith: zone.zoneID).makeAsyncIterator()
        try await expect([1], from: &results)
        try await database.save(zone.record("b", number: 2))
        try await expect([1, 2], from: &results)
        // The service has saved a subscription, which the program does not see.
        let other = world.otherDevice()
        while try await other.privateCloudDatabase.allSubscriptions().isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await database.allSubscriptions().isEmpty)
        var notifications = CabinetCloudKit.notifications(of: world.cloud).makeAsyncIterator()
        let record = CKRecord(
            recordType: "Items", recordID: CKRecord.ID(recordName: "c", zoneID: CKRecordZone.ID(zoneName: "Lists")))
        record["number"] = 3
        try await other.privateCloudDatabase.save(record)
        let received = try #require(try await notifications.next(isolation: #isolation))
        let notification = try #require(
            CKNotification(fromRemoteNotificationDictionary: received.remoteNotificationDictionary))
        #expect(container.didReceive(notification) == (notification is CKDatabaseNotification))
        container.didReceive(received)
        try await expect([1, 2, 3], from: &results)
    }

    @Test("leaves notifications of other containers alone")
    func otherContainer() async throws {
        let world = ICloudWorld()
        let container = try await world.container()
        let notification = CKDatabaseNotification(
            fromRemoteNotificationDictionary: ["ck": ["cabinet": "{}"]])
        #expect(notification == nil)
        let elsewhere = try Container(
            iCloud: CKContainer(identifier: "iCloud.com.example.other", backend: MemoryBackend()),
            userRecordName: "_anna")
        let local = try Container(identifier: "com.example.local", backend: MemoryBackend())
        let own = try await received(in: world)
        #expect(container.didReceive(own))
        #expect(!elsewhere.didReceive(own))
        #expect(!local.didReceive(own))
    }

    private func received(in world: ICloudWorld) async throws -> CKNotification {
        try await world.cloud.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
        let zone = try await world.otherDevice().privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
        let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "a", zoneID: zone.zoneID))
        try await world.otherDevice().privateCloudDatabase.save(record)
        for try await notification in CabinetCloudKit.notifications(of: world.cloud) { return notification }
        throw CabinetError(.internalError, "No notification arrived.")
    }

    @Test("runs again after the interval, without a notification", .timeLimit(.minutes(15)))
    func poll() async throws {
        var configuration = ICloudConfiguration()
        configuration.pollInterval = .milliseconds(20)
        configuration.subscribes = false
        let world = ICloudWorld()
        let database = try await world.container(configuration).privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Lists"))
        try await database.save(zone.record("a", number: 1))
        var results = database.observe(query).makeAsyncIterator()
        try await expect([1], from: &results)
        let record = CKRecord(
            recordType: "Items", recordID: CKRecord.ID(recordName: "b", zoneID: CKRecordZone.ID(zoneName: "Lists")))
        record["number"] = 2
        try await world.otherDevice().privateCloudDatabase.save(record)
        try await expect([1, 2], from: &results)
        #expect(try await world.cloud.privateCloudDatabase.allSubscriptions().isEmpty)
    }

    @Test("has the signals after which an automatic sync engine fetches", .timeLimit(.minutes(15)))
    func syncEngine() async throws {
        var configuration = ICloudConfiguration()
        configuration.pollInterval = .milliseconds(20)
        let world = ICloudWorld()
        let database = try await world.container(configuration).privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Lists"))
        let reader = Reader()
        let engine = SyncEngine(.init(database: database, stateSerialization: nil, delegate: reader))
        while !reader.hasFetched { try await Task.sleep(for: .milliseconds(5)) }
        let record = CKRecord(
            recordType: "Items",
            recordID: CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: zone.zoneID.zoneName)))
        try await world.otherDevice().privateCloudDatabase.save(record)
        while reader.names.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(reader.names == ["a"])
        await engine.cancelOperations()
    }
}

/// A delegate that records what a sync engine fetches.
private final class Reader: SyncEngineDelegate {
    private let state = Mutex((names: [String](), hasFetched: false))

    var names: [String] { state.withLock { $0.names } }
    var hasFetched: Bool { state.withLock { $0.hasFetched } }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        state.withLock { state in
            switch event {
            case .fetchedRecordZoneChanges(let changes):
                state.names += changes.modifications.map(\.record.recordID.recordName)
            case .didFetchChanges: state.hasFetched = true
            default: break
            }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}
