import Cabinet
@testable import CabinetCloudKit
import Synchronization
import Testing

/// A delegate that sends records of its own, and writes down what it hears.
private final class Sender: CKSyncEngineDelegate {
    let records: [CKRecord]
    let waits: Bool
    let cancels: Bool
    let log = Log()
    let saved = Mutex<[CKRecord]>([])
    let failed = Mutex<[CKError]>([])

    init(_ records: [CKRecord] = [], waits: Bool = false, cancels: Bool = false) {
        self.records = records
        self.waits = waits
        self.cancels = cancels
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .fetchedDatabaseChanges(let changes):
            log.add("zones \(changes.modifications.map(\.zoneID.zoneName).sorted())")
        case .fetchedRecordZoneChanges(let changes): log.add("records \(changes.modifications.count)")
        case .sentDatabaseChanges(let changes): log.add("failed zones \(changes.failedZoneSaves.count)")
        case .sentRecordZoneChanges(let changes):
            saved.withLock { $0 += changes.savedRecords }
            failed.withLock { $0 += changes.failedRecordSaves.map(\.error) }
            for (id, error) in changes.failedRecordDeletes { log.add("kept \(id.recordName) \(error.code)") }
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        if cancels, log.all.isEmpty { await syncEngine.cancelOperations() }
        log.add("batch")
        while waits, !Task.isCancelled { await Task.yield() }
        let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        return await .init(pendingChanges: changes) { id in records.first { $0.recordID == id } }
    }
}

@Suite("CKSyncEngine: objects, scopes and states", .timeLimit(.minutes(15)))
struct SyncEngineStateTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func engine(_ delegate: Sender, _ container: CKContainer) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: nil, delegate: delegate)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    private func record(_ name: String) -> CKRecord {
        CKRecord(recordType: "Notes", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    }

    @Test("a sent record is the program's object, with its tag; so is the client's record of a conflict")
    func objects() async throws {
        try await CloudStore.memory.run { container in
            try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
            let (first, second) = (record("a"), record("b"))
            let sender = Sender([first, second])
            let engine = engine(sender, container)
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(first.recordID), .saveRecord(second.recordID)])
            try await engine.sendChanges(.init(scope: .recordIDs([first.recordID])))
            #expect(first.recordChangeTag != nil && second.recordChangeTag == nil)
            #expect(sender.saved.withLock { $0.count == 1 && $0.first === first })
            #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(second.recordID)])
            try await container.privateCloudDatabase.save(record("b"))
            #expect(await code { try await engine.sendChanges() } == .partialFailure)
            #expect(sender.failed.withLock { $0.count == 1 && $0.first?.clientRecord === second })
        }
    }

    @Test("a record under the user's own name as owner is sent once, and its object is updated")
    func ownName() async throws {
        try await CloudStore.memory.run(options: .init(account: Account(userRecordName: "_anna"))) { container in
            try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
            let ownID = CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: "_anna")
            let own = CKRecord(recordType: "Notes", recordID: CKRecord.ID(recordName: "a", zoneID: ownID))
            let sender = Sender([own])
            let engine = engine(sender, container)
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(own.recordID)])
            try await engine.sendChanges()
            #expect(sender.saved.withLock { $0.count == 1 && $0.first === own } && own.recordChangeTag != nil)
            #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        }
    }

    @Test("zones that cannot be saved and records that cannot be deleted are reported")
    func failures() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            try await database.save(CKRecordZone(zoneID: zoneID))
            let (parent, child) = (record("parent"), record("child"))
            child.setParent(parent)
            _ = try await database.modifyRecords(saving: [parent, child], deleting: [])
            let sender = Sender()
            let engine = engine(sender, container)
            engine.state.add(pendingRecordZoneChanges: [.deleteRecord(parent.recordID)])
            let name = String(repeating: "x", count: 1000)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: name))])
            #expect(await code { try await engine.sendChanges() } == .partialFailure)
            #expect(sender.log.all.contains("failed zones 1"))
            #expect(sender.log.all.contains("kept parent referenceViolation"), "\(sender.log.all)")
        }
    }

    @Test("a fetch hides the default zone and empty zones, and leaves out the zones that it excludes")
    func fetches() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let other = CKRecordZone(zoneName: "Other")
            for zone in [CKRecordZone(zoneID: zoneID), other] { try await database.save(zone) }
            _ = try await database.modifyRecords(
                saving: [record("a"), CKRecord(recordType: "Notes")], deleting: [])
            let sender = Sender()
            let engine = engine(sender, container)
            try await engine.fetchChanges(.init(scope: .allExcluding([zoneID])))
            #expect(sender.log.all == [#"zones ["Notes", "Other"]"#])
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zoneID])
            try await engine.fetchChanges()
            #expect(sender.log.all.suffix(1) == ["records 1"])
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
            // A change of the default zone alone gives no event.
            try await database.save(CKRecord(recordType: "Notes"))
            try await engine.fetchChanges()
            #expect(sender.log.all.count == 2)
        }
    }

    @Test("untracked changes are remembered, a batch has at most 400 of them, and accounts sign out")
    func state() async throws {
        try await CloudStore.memory.run { container in
            let engine = engine(Sender(), container)
            engine.state.hasPendingUntrackedChanges = true
            #expect(engine.state.hasPendingUntrackedChanges)
        }
        let changes = (0..<500).map { CKSyncEngine.PendingRecordZoneChange.deleteRecord(record("\($0)").recordID) }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { _ in nil }
        #expect(batch?.recordIDsToDelete.count == 400)
        let user = RecordID(recordName: "_anna")
        #expect(
            CKSyncEngine.Event.AccountChange.ChangeType(.signOut(previousUser: user))
                == .signOut(previousUser: CKRecord.ID(user)))
    }

    @Test("a cancelled send ends")
    func cancellation() async throws {
        try await CloudStore.memory.run { container in
            let sender = Sender(waits: true)
            let engine = engine(sender, container)
            engine.state.add(pendingRecordZoneChanges: [.deleteRecord(record("a").recordID)])
            let send = Task { await code { try await engine.sendChanges() } }
            while sender.log.all.isEmpty { await Task.yield() }
            await engine.cancelOperations()
            #expect(await send.value == .operationCancelled)
        }
    }

    @Test("a delegate that cancels a send does not wait for itself, and the next send succeeds")
    func cancellationByDelegate() async throws {
        try await CloudStore.memory.run { container in
            try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
            let record = record("a")
            let sender = Sender([record], cancels: true)
            let engine = engine(sender, container)
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
            #expect(await code { try await engine.sendChanges() } == .operationCancelled)
            #expect(record.recordChangeTag == nil)
            try await engine.sendChanges()
            #expect(record.recordChangeTag != nil)
        }
    }

    @Test("an engine continues one of the same living delegate, with the same store and settings, alone")
    func predecessors() async throws {
        try await CloudStore.memory.run { container in
            let delegate = Sender()
            func configuration(
                _ delegate: Sender, in container: CKContainer, automatically: Bool = false,
                _ subscriptionID: String? = nil
            ) -> CKSyncEngine.Configuration {
                var configuration = CKSyncEngine.Configuration(
                    database: container.privateCloudDatabase, stateSerialization: nil, delegate: delegate)
                configuration.automaticallySync = automatically
                configuration.subscriptionID = subscriptionID
                return configuration
            }
            let engine = engine(delegate, container)
            let same = configuration(delegate, in: container)
            let adapter = SyncAdapter(same, engine: engine)
            #expect(adapter.isContinued(by: engine, with: same))
            #expect(!adapter.isContinued(by: engine, with: configuration(Sender(), in: container)))
            #expect(!adapter.isContinued(by: engine, with: configuration(delegate, in: container, automatically: true)))
            #expect(!adapter.isContinued(by: engine, with: configuration(delegate, in: container, "own")))
            let store = CKContainer(identifier: "iCloud.com.example.test", backend: MemoryBackend())
            #expect(!adapter.isContinued(by: engine, with: configuration(delegate, in: store)))
            // Another delegate may have the address of this one.
            let orphan = SyncAdapter(configuration(Sender(), in: container), engine: engine)
            #expect(!orphan.isContinued(by: engine, with: same))
            let automatic = CKSyncEngine(configuration(delegate, in: container, automatically: true))
            #expect(automatic.state !== engine.state)
        }
    }

    @Test("an engine of a container whose store was replaced begins with the new store")
    func replacedStore() async throws {
        let registry = ContainerRegistry()
        let container = CKContainer(identifier: "iCloud.com.example.test", registry: registry)
        let delegate = Sender()
        registry.configure(.init()) { try Container($0, over: MemoryBackend(), $1) }
        try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
        let first = engine(delegate, container)
        registry.configure(.init()) { try Container($0, over: MemoryBackend(), $1) }
        let second = engine(delegate, container)
        #expect(second.state !== first.state)
        try await second.fetchChanges()
        #expect(!delegate.log.all.contains { $0.hasPrefix("zones") })
    }

    @Test("a registry forgets a deallocated engine")
    func registry() async throws {
        try await CloudStore.memory.run { container in
            let registry = SyncEngineRegistry()
            let delegate = Sender()
            let key = SyncEngineRegistry.Key(
                .init(database: container.privateCloudDatabase, stateSerialization: nil, delegate: delegate))
            do {
                let engine = engine(delegate, container)
                #expect(registry.replace(key, with: engine) == nil)
                registry.remove(key)
                #expect(registry.count == 1)
            }
            registry.remove(key)
            #expect(registry.count == 0)
        }
    }
}
