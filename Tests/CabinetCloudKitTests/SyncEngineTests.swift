import Cabinet
import CabinetCloudKit
import Synchronization
import Testing

/// A device with records of its own and a sync engine.
private final class Device: CKSyncEngineDelegate {
    struct Content {
        var texts: [CKRecord.ID: String] = [:]
        var records: [CKRecord.ID: CKRecord] = [:]
        var events: [String] = []
        var serialization: CKSyncEngine.State.Serialization?
    }

    let content: Mutex<Content>
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    /// A closure that runs once, after a batch is complete and before it is sent.
    let afterBatch = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ content: consuming sending Content = Content()) {
        self.content = Mutex(content)
    }

    func engine(_ container: CKContainer, automatically: Bool = false) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: content.withLock { $0.serialization },
            delegate: self)
        configuration.automaticallySync = automatically
        return CKSyncEngine(configuration)
    }

    func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    func set(_ text: String?, _ name: String, _ engine: CKSyncEngine) {
        content.withLock { $0.texts[id(name)] = text }
        engine.state.add(pendingRecordZoneChanges: [text == nil ? .deleteRecord(id(name)) : .saveRecord(id(name))])
    }

    var texts: [String: String] {
        content.withLock { Dictionary(uniqueKeysWithValues: $0.texts.map { ($0.recordName, $1) }) }
    }

    var events: [String] { content.withLock { $0.events } }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        content.withLock { content in
            switch event {
            case .stateUpdate(let update):
                content.serialization = update.stateSerialization
            case .accountChange(let change):
                if case .signIn = change.changeType { content.events.append("signed in") }
            case .fetchedDatabaseChanges(let changes):
                content.events.append("zones \(changes.modifications.count) \(changes.deletions.count)")
                if !changes.deletions.isEmpty { content.texts = [:] }
            case .fetchedRecordZoneChanges(let changes):
                content.events.append("records \(changes.modifications.count) \(changes.deletions.count)")
                for change in changes.modifications {
                    content.texts[change.record.recordID] = change.record["text"]
                    content.records[change.record.recordID] = change.record
                }
                for deletion in changes.deletions { content.texts[deletion.recordID] = nil }
            case .sentDatabaseChanges(let changes):
                content.events.append("sent zones \(changes.savedZones.count) \(changes.failedZoneSaves.count)")
            case .sentRecordZoneChanges(let changes):
                content.events.append(
                    "sent \(changes.savedRecords.count) \(changes.deletedRecordIDs.count) \(changes.failedRecordSaves.count)"
                )
                for record in changes.savedRecords { content.records[record.recordID] = record }
                for failure in changes.failedRecordSaves {
                    content.events.append("\(failure.error.code)")
                    content.records[failure.record.recordID] = failure.error.serverRecord
                    syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
                    if failure.error.code == .zoneNotFound {
                        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
                    }
                }
            default: break
            }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            content.withLock { content in
                let record = content.records[id] ?? CKRecord(recordType: "Notes", recordID: id)
                record["text"] = content.texts[id]
                return record
            }
        }
        let body = afterBatch.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
        return batch
    }
}

@Suite("CKSyncEngine")
struct SyncEngineTests {
    @Test("two devices get each other's changes, and not their own", arguments: CloudStore.allCases)
    func devices(_ store: CloudStore) async throws {
        try await store.run { container in
            let (left, right) = (Device(), Device())
            let (leftEngine, rightEngine) = (left.engine(container), right.engine(container))
            leftEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: left.zoneID))])
            left.set("a", "1", leftEngine)
            left.set("b", "2", leftEngine)
            try await leftEngine.sendChanges()
            #expect(left.events == ["signed in", "sent zones 1 0", "sent 2 0 0"])
            #expect(
                leftEngine.state.pendingRecordZoneChanges.isEmpty && leftEngine.state.pendingDatabaseChanges.isEmpty)
            try await rightEngine.fetchChanges()
            #expect(right.texts == ["1": "a", "2": "b"])
            right.set("c", "1", rightEngine)
            right.set(nil, "2", rightEngine)
            try await rightEngine.sendChanges()
            try await leftEngine.fetchChanges()
            #expect(left.texts == ["1": "c"])
            #expect(left.events.suffix(2) == ["zones 1 0", "records 1 1"])
            // Own changes do not return.
            left.set("d", "3", leftEngine)
            try await leftEngine.sendChanges()
            let count = left.events.count
            try await leftEngine.fetchChanges()
            #expect(left.events.dropFirst(count).contains { $0.hasPrefix("records") } == false)
        }
    }

    @Test("an edit that is made while its record is sent is sent next", arguments: CloudStore.allCases)
    func editWhileSending(_ store: CloudStore) async throws {
        try await store.run { container in
            let (left, right) = (Device(), Device())
            let (leftEngine, rightEngine) = (left.engine(container), right.engine(container))
            leftEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: left.zoneID))])
            left.set("a", "1", leftEngine)
            left.set("a", "2", leftEngine)
            left.afterBatch.withLock { body in body = { left.set("b", "1", leftEngine) } }
            try await leftEngine.sendChanges()
            #expect(left.events == ["signed in", "sent zones 1 0", "sent 2 0 0", "sent 1 0 0"])
            #expect(leftEngine.state.pendingRecordZoneChanges.isEmpty)
            try await rightEngine.fetchChanges()
            #expect(right.texts == ["1": "b", "2": "a"])
            // A deletion, after which the record is created again.
            left.set(nil, "2", leftEngine)
            left.afterBatch.withLock { body in body = { left.set("c", "2", leftEngine) } }
            try? await leftEngine.sendChanges()
            try await leftEngine.sendChanges()
            try await rightEngine.fetchChanges()
            #expect(right.texts == ["1": "b", "2": "c"])
        }
    }

    @Test("a field that is set in a record's object while it is sent is sent next")
    func objectWhileSending() async throws {
        try await CloudStore.memory.run { container in
            let device = Device()
            let engine = device.engine(container)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: device.zoneID))])
            let record = CKRecord(recordType: "Notes", recordID: device.id("1"))
            device.content.withLock { $0.records[record.recordID] = record }
            device.set("a", "1", engine)
            device.afterBatch.withLock { body in
                body = {
                    record["colour"] = "red"
                    engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
                }
            }
            try await engine.sendChanges()
            #expect(record["colour"] == "red" && record.changedKeys() == [])
            let saved = try await container.privateCloudDatabase.record(for: record.recordID)
            #expect(saved["colour"] == "red" && saved["text"] == "a")
        }
    }

    @Test("a conflict is reported, and the merged record is sent the next time", arguments: CloudStore.allCases)
    func conflict(_ store: CloudStore) async throws {
        try await store.run { container in
            let (left, right) = (Device(), Device())
            let (leftEngine, rightEngine) = (left.engine(container), right.engine(container))
            left.set("a", "1", leftEngine)
            // The first send finds no zone; the delegate adds it.
            #expect(await code { try await leftEngine.sendChanges() } == .partialFailure)
            #expect(left.events.contains("zoneNotFound"))
            try await leftEngine.sendChanges()
            try await rightEngine.fetchChanges()
            right.set("b", "1", rightEngine)
            try await rightEngine.sendChanges()
            left.set("c", "1", leftEngine)
            #expect(await code { try await leftEngine.sendChanges() } == .partialFailure)
            #expect(left.events.last == "serverRecordChanged" && leftEngine.state.pendingRecordZoneChanges.count == 1)
            try await leftEngine.sendChanges()
            try await rightEngine.fetchChanges()
            #expect(right.texts == ["1": "c"])
        }
    }

    @Test("the state continues after a restart, also as JSON")
    func restart() async throws {
        try await CloudStore.memory.run { container in
            let device = Device()
            let engine = device.engine(container)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: device.zoneID))])
            device.set("a", "1", engine)
            try await engine.sendChanges()
            device.set("b", "2", engine)
            try await engine.fetchChanges()
            let serialization = try #require(device.content.withLock { $0.serialization })
            let data = try JSONEncoder().encode(serialization)
            let decoded = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
            let texts = device.content.withLock { $0.texts }
            let restarted = Device(.init(texts: texts, serialization: decoded))
            let second = restarted.engine(container)
            #expect(second.state.pendingRecordZoneChanges == [.saveRecord(device.id("2"))])
            try await second.sendChanges()
            try await second.fetchChanges()
            #expect(restarted.events.contains("signed in") == false)
            #expect(restarted.events.first == "sent 1 0 0")
        }
    }

    @Test("pending changes: the last change of a record counts, and scopes choose")
    func pending() async throws {
        try await CloudStore.memory.run { container in
            let device = Device()
            let state = device.engine(container).state
            let (a, b) = (device.id("a"), CKRecord.ID(recordName: "b", zoneID: CKRecordZone.ID(zoneName: "Other")))
            state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b), .saveRecord(a)])
            #expect(Set(state.pendingRecordZoneChanges) == [.saveRecord(a), .saveRecord(b)])
            #expect(state.pendingRecordZoneChanges.count == 2)
            state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
            #expect(state.pendingRecordZoneChanges == [.saveRecord(b), .deleteRecord(a)])
            state.remove(pendingRecordZoneChanges: [.saveRecord(b)])
            #expect(state.pendingRecordZoneChanges == [.deleteRecord(a)])
            let scope = CKSyncEngine.SendChangesOptions.Scope.allExcluding([b.zoneID])
            #expect(scope.contains(.saveRecord(a)) && !scope.contains(.saveRecord(b)))
            #expect(CKSyncEngine.SendChangesOptions.Scope.recordIDs([a]).contains(.deleteRecord(a)))
            #expect(!CKSyncEngine.FetchChangesOptions.Scope.zoneIDs([b.zoneID]).contains(a.zoneID))
        }
    }

    @Test("an automatic engine sends by itself, and fetches when another device has saved", .timeLimit(.minutes(15)))
    func automatic() async throws {
        let backend = MemoryBackend()
        let containers = (0..<2).map { _ in CKContainer(identifier: "iCloud.com.example.sync", backend: backend) }
        let (left, right) = (Device(), Device())
        let (leftEngine, rightEngine) = (
            left.engine(containers[0], automatically: true), right.engine(containers[1], automatically: true)
        )
        leftEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: left.zoneID))])
        left.set("a", "1", leftEngine)
        while right.texts != ["1": "a"] { try await Task.sleep(for: .milliseconds(5)) }
        right.set("b", "1", rightEngine)
        while left.texts != ["1": "b"] { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("an engine that replaces one before the delegate has a state continues it", .timeLimit(.minutes(15)))
    func replacement() async throws {
        let container = CKContainer(identifier: "iCloud.com.example.sync", backend: MemoryBackend())
        let delegate = SlowDelegate()
        func engine() -> CKSyncEngine {
            var configuration = CKSyncEngine.Configuration(
                database: container.privateCloudDatabase, stateSerialization: nil, delegate: delegate)
            configuration.automaticallySync = false
            return CKSyncEngine(configuration)
        }
        let id = CKRecord.ID(recordName: "1", zoneID: CKRecordZone.ID(zoneName: "Notes"))
        let first = engine()
        first.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        let second = engine()
        #expect(second.state === first.state)
        #expect(second.state.pendingRecordZoneChanges == [.saveRecord(id)])
        // When the delegate has a state, an engine without it begins again.
        delegate.mayReturn.withLock { $0 = true }
        var latest = second
        while latest.state === first.state {
            await Task.yield()
            latest = engine()
        }
        #expect(latest.state.pendingRecordZoneChanges.isEmpty && delegate.hasReturned.withLock { $0 })
    }
}

/// A delegate that does not finish with a state before it may.
private final class SlowDelegate: CKSyncEngineDelegate {
    let mayReturn = Mutex(false)
    let hasReturned = Mutex(false)

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard case .stateUpdate = event else { return }
        while !mayReturn.withLock({ $0 }) { await Task.yield() }
        hasReturned.withLock { $0 = true }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
