import Cabinet
import CabinetCloudKit
import Foundation
import Synchronization
import Testing

/// A device that sends the records it is given, and keeps those that it fetches.
private final class SyncedDevice: CKSyncEngineDelegate {
    struct Content {
        var toSend: [CKRecord.ID: CKRecord] = [:]
        var fetched: [CKRecord] = []
        var saved: [CKRecord] = []
        var failures: [CKError.Code] = []
        var deletedZones: [CKRecordZone.ID] = []
    }

    let content = Mutex(Content())

    func engine(_ database: CKDatabase) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: self)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    func send(_ records: [CKRecord], _ engine: CKSyncEngine) async throws {
        content.withLock { content in
            for record in records { content.toSend[record.recordID] = record }
        }
        engine.state.add(pendingRecordZoneChanges: records.map { .saveRecord($0.recordID) })
        try await engine.sendChanges()
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        content.withLock { content in
            switch event {
            case .fetchedRecordZoneChanges(let changes): content.fetched += changes.modifications.map(\.record)
            case .fetchedDatabaseChanges(let changes): content.deletedZones += changes.deletions.map(\.zoneID)
            case .sentRecordZoneChanges(let changes):
                content.saved += changes.savedRecords
                content.failures += changes.failedRecordSaves.map(\.error.code)
            default: break
            }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let records = content.withLock { $0.toSend }
        return await CKSyncEngine.RecordZoneChangeBatch(
            pendingChanges: syncEngine.state.pendingRecordZoneChanges
        ) { records[$0] }
    }
}

@Suite("Shares through CKSyncEngine")
struct SharingSyncTests {
    @Test("an engine sends a share, and that of another user receives it with its records, until it is deleted")
    func life() async throws {
        let backend = MemoryBackend()
        func container(_ user: String) -> CKContainer {
            CKContainer(
                identifier: "iCloud.com.example.sharing", backend: backend,
                options: .init(account: Account(userRecordName: user)))
        }
        let (anna, ben) = (container("_anna"), container("_ben"))
        let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
        let (owner, participant) = (SyncedDevice(), SyncedDevice())
        let engine = owner.engine(anna.privateCloudDatabase)
        let item = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID))
        item["name"] = "Milk"
        let share = CKShare(recordZoneID: zone.zoneID)
        share.addParticipant(try await anna.shareParticipant(forUserRecordID: try await ben.userRecordID()))
        try await owner.send([item, share], engine)
        #expect(owner.content.withLock { $0.saved.contains { $0 === share } && $0.failures.isEmpty })
        let url = try #require(share.url)

        let theirs = participant.engine(ben.sharedCloudDatabase)
        try await theirs.fetchChanges()
        #expect(participant.content.withLock { $0.fetched.isEmpty })
        try await ben.accept(try await ben.shareMetadata(for: url))
        try await theirs.fetchChanges()
        let fetched = participant.content.withLock { $0.fetched }
        #expect(fetched.compactMap { $0["name"] as String? } == ["Milk"])
        let received = try #require(fetched.compactMap { $0 as? CKShare }.first)
        #expect(received.currentUserParticipant?.acceptanceStatus == .accepted && received.url == url)

        try await anna.privateCloudDatabase.deleteRecord(withID: share.recordID)
        try await theirs.fetchChanges()
        #expect(participant.content.withLock { $0.deletedZones } == [received.recordID.zoneID])
    }

    @Test("a share of a hierarchy is sent with its root")
    func hierarchies() async throws {
        let container = CKContainer(identifier: "iCloud.com.example.sharing", backend: MemoryBackend())
        let zone = try await container.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
        let device = SyncedDevice()
        let root = CKRecord(recordType: "Lists", recordID: CKRecord.ID(zoneID: zone.zoneID))
        let share = CKShare(rootRecord: root)
        try await device.send([root, share], device.engine(container.privateCloudDatabase))
        let found = try await container.privateCloudDatabase.record(for: root.recordID)
        #expect(found.share?.recordID == share.recordID)
    }
}
