@testable import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// A delegate that stores events, and saves every pending record.
private final class Recorder: SyncEngineDelegate {
    let events = Mutex<[String]>([])
    let state = Mutex<SyncEngine.State.Serialization?>(nil)
    let onEvent: @Sendable (SyncEngine.Event, SyncEngine) -> Void
    let onBatch: (@Sendable (SyncEngine) -> Void)?

    init(
        onEvent: @escaping @Sendable (SyncEngine.Event, SyncEngine) -> Void = { _, _ in },
        onBatch: (@Sendable (SyncEngine) -> Void)? = nil
    ) {
        self.onBatch = onBatch
        self.onEvent = onEvent
    }

    var names: [String] { events.withLock { $0 } }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        if case .stateUpdate(let update) = event {
            state.withLock { $0 = update.stateSerialization }
        } else {
            events.withLock { $0.append(String("\(event)".prefix { $0 != "(" })) }
        }
        onEvent(event, syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        let batch = await SyncEngine.RecordZoneChangeBatch(pendingChanges: changes) {
            Record(recordType: "Notes", recordID: $0)
        }
        onBatch?(syncEngine)
        return batch
    }

    func engine(
        _ database: Database, automatically: Bool = false, _ state: SyncEngine.State.Serialization? = nil,
        schedule: SyncSchedule = SyncSchedule()
    ) -> SyncEngine {
        SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: state, delegate: self, automaticallySync: automatically),
            schedule: schedule)
    }
}

@Suite("SyncEngine")
struct SyncEngineTests {
    private let zone = RecordZone(zoneName: "Notes")

    private func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zone.zoneID) }

    private func container(_ user: String = "_user", _ backend: MemoryBackend = MemoryBackend()) throws -> Container {
        try Container(
            identifier: "com.example.sync", backend: backend, account: Account(userRecordName: user))
    }

    @Test("events come in CloudKit's order, and zones that the delegate adds are sent before the next batch")
    func order() async throws {
        let database = try container().privateDatabase
        let other = RecordZone(zoneName: "Other")
        let recorder = Recorder { event, engine in
            guard case .sentRecordZoneChanges(let changes) = event, !changes.savedRecords.isEmpty,
                engine.state.pendingRecordZoneChanges.isEmpty
            else { return }
            if changes.savedRecords[0].recordID.zoneID == other.zoneID { return }
            engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(RecordID(recordName: "b", zoneID: other.zoneID))])
        }
        let engine = recorder.engine(database)
        engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        try await engine.sendChanges()
        #expect(
            recorder.names == [
                "accountChange", "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges",
                "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
            ])
        recorder.events.withLock { $0 = [] }
        try await recorder.engine(database).fetchChanges()
        #expect(
            recorder.names == [
                "accountChange", "willFetchChanges", "fetchedDatabaseChanges", "willFetchRecordZoneChanges",
                "fetchedRecordZoneChanges", "didFetchRecordZoneChanges", "willFetchRecordZoneChanges",
                "fetchedRecordZoneChanges", "didFetchRecordZoneChanges", "didFetchChanges",
            ])
    }

    @Test("a change of the state is reported without a send", .timeLimit(.minutes(15)))
    func stateReport() async throws {
        let recorder = Recorder()
        let engine = recorder.engine(try container().privateDatabase)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        while recorder.state.withLock({ $0 == nil }) { await Task.yield() }
        let state = SyncEngine.State(recorder.state.withLock { $0 })
        #expect(state.pendingRecordZoneChanges == [.saveRecord(id("a"))])
    }

    @Test("a change of the state calls the engine as deep as the first one did")
    func depth() {
        let state = SyncEngine.State()
        let depths = Mutex<[Int]>([])
        state.onChange { _ in depths.withLock { $0.append(Thread.callStackReturnAddresses.count) } }
        for number in 0..<20 { state.add(pendingRecordZoneChanges: [.saveRecord(RecordID(recordName: "\(number)"))]) }
        let all = depths.withLock(\.self)
        #expect(all.count == 20 && (all.first ?? 0) > 0)
        #expect(Set(all).count == 1)
    }

    @Test("another account empties the state; an expired token begins again")
    func accounts() async throws {
        let backend = MemoryBackend()
        let database = try container("_ann", backend).privateDatabase
        try await database.save(zone)
        try await database.save(Record(recordType: "Notes", recordID: id("a")))
        let recorder = Recorder()
        let engine = recorder.engine(database)
        try await engine.fetchChanges()
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("b"))])
        try await engine.fetchChanges()
        let state = recorder.state.withLock { $0 }
        #expect(SyncEngine.State(state).pendingRecordZoneChanges.count == 1)

        let changes = Mutex<[SyncEngine.Event.AccountChange.ChangeType]>([])
        let second = Recorder { event, _ in
            if case .accountChange(let change) = event { changes.withLock { $0.append(change.changeType) } }
        }
        let other = second.engine(try container("_bob", backend).privateDatabase, state)
        try await other.fetchChanges()
        #expect(
            changes.withLock { $0 } == [
                .switchAccounts(
                    previousUser: RecordID(recordName: "_ann"), currentUser: RecordID(recordName: "_bob"))
            ])
        #expect(other.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("a failure that passes stays pending; other failures are the delegate's")
    func failures() async throws {
        let database = try container().privateDatabase
        let recorder = Recorder()
        let engine = recorder.engine(database)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        await #expect(throws: CabinetError.self) { try await engine.sendChanges() }
        // The zone does not exist, and the delegate has not added the change again.
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)

        let signedOut = try Container(identifier: "com.example.sync", backend: MemoryBackend(), account: nil)
        let waiting = recorder.engine(signedOut.privateDatabase)
        waiting.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        await #expect(throws: CabinetError.self) { try await waiting.sendChanges() }
        #expect(waiting.state.pendingRecordZoneChanges == [.saveRecord(id("a"))])
    }

    @Test("a delegate cannot send while it handles an event")
    func recursion() async throws {
        let database = try container().privateDatabase
        let errors = Mutex<[CabinetError.Code]>([])
        let recorder = Sender { error in errors.withLock { $0.append(error) } }
        let engine = SyncEngine(
            .init(database: database, stateSerialization: nil, delegate: recorder, automaticallySync: false))
        try await engine.fetchChanges()
        #expect(errors.withLock { Set($0) } == [.invalidArguments])
    }

    @Test("an automatic engine slows down while its delegate repeats a failing change", .timeLimit(.minutes(15)))
    func backOff() async throws {
        let waits = Mutex<[TimeInterval]>([])
        let database = try container().privateDatabase
        try await database.save(zone)
        try await database.save(Record(recordType: "Notes", recordID: id("a")))
        let recorder = Recorder { event, engine in
            // This delegate does not merge: each attempt conflicts again.
            guard case .sentRecordZoneChanges(let changes) = event, !changes.failedRecordSaves.isEmpty else { return }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(changes.failedRecordSaves[0].record.recordID)])
        }
        let schedule = SyncSchedule { seconds in
            let count = waits.withLock { waits in
                waits.append(seconds)
                return waits.count
            }
            // The next attempt never comes.
            if count == 5 { throw CancellationError() }
        }
        let engine = recorder.engine(database, automatically: true, schedule: schedule)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        while waits.withLock({ $0.count < 5 }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(waits.withLock { $0.prefix(5) } == [0, 2, 4, 8, 16])
    }

    @Test("the wait follows the store's wish, and has a bound")
    func waits() {
        let failure = CabinetError(.networkFailure, "No network.")
        #expect((1...4).map { SyncSchedule.wait(after: failure, failures: $0) } == [1, 2, 4, 8])
        #expect(SyncSchedule.wait(after: failure, failures: 1000) == RetryRule.longestWait)
        let busy = CabinetError(.zoneBusy, "Busy.", retryAfterSeconds: 17)
        #expect(SyncSchedule.wait(after: busy, failures: 1) == 17)
        let partial = CabinetError(.partialFailure, "One.", partialErrorsByItemID: [id("a"): busy])
        #expect(SyncSchedule.wait(after: partial, failures: 1) == 17)
        #expect(SyncSchedule.wait(after: CancellationError(), failures: 1) == 1)
    }

    @Test("pending changes: the last change of a record counts, and scopes choose")
    func pending() throws {
        let state = SyncEngine.State()
        let (a, b) = (id("a"), RecordID(recordName: "b", zoneID: RecordZone.ID(zoneName: "Other")))
        state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b), .saveRecord(a)])
        #expect(Set(state.pendingRecordZoneChanges) == [.saveRecord(a), .saveRecord(b)])
        #expect(state.pendingRecordZoneChanges.count == 2)
        state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(b), .deleteRecord(a)])
        state.remove(pendingRecordZoneChanges: [.saveRecord(b)])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(a)])
        let scope = SyncEngine.SendChangesOptions.Scope.allExcluding([b.zoneID])
        #expect(scope.contains(.saveRecord(a)) && !scope.contains(.saveRecord(b)))
        #expect(SyncEngine.SendChangesOptions.Scope.recordIDs([a]).contains(.deleteRecord(a)))
        #expect(!SyncEngine.FetchChangesOptions.Scope.zoneIDs([b.zoneID]).contains(a.zoneID))
    }

    @Test(
        "a change that is added again while it is sent stays pending",
        arguments: [SyncEngine.PendingRecordZoneChange.saveRecord, SyncEngine.PendingRecordZoneChange.deleteRecord])
    func additionWhileSending(change: @Sendable (RecordID) -> SyncEngine.PendingRecordZoneChange) async throws {
        let database = try container().privateDatabase
        try await database.save(zone)
        let count = Mutex(0)
        let (first, other) = (change(id("a")), change(id("b")))
        let recorder = Recorder(onBatch: { engine in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            // The batch is complete, and is sent after this.
            if isFirst { engine.state.add(pendingRecordZoneChanges: [first]) }
        })
        let engine = recorder.engine(database)
        engine.state.add(pendingRecordZoneChanges: [first, other])
        try? await engine.sendChanges()
        #expect(count.withLock { $0 } == 2)
        #expect(engine.state.pendingRecordZoneChanges == [])
    }

    @Test("a zone that is added again while it is sent stays pending")
    func zoneWhileSending() {
        let state = SyncEngine.State()
        let changes: [SyncEngine.PendingDatabaseChange] = [
            .saveZone(zone), .deleteZone(RecordZone.ID(zoneName: "Old")),
        ]
        state.add(pendingDatabaseChanges: changes)
        let number = state.value.additionCount
        state.add(pendingDatabaseChanges: [changes[1]])
        state.change { $0.remove(sent: changes, upTo: number) }
        #expect(state.pendingDatabaseChanges == [changes[1]])
    }

    @Test("the last change of a record counts, also among those that are added together")
    func lastChange() {
        let state = SyncEngine.State()
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a")), .saveRecord(id("b")), .deleteRecord(id("a"))])
        #expect(Set(state.pendingRecordZoneChanges) == [.deleteRecord(id("a")), .saveRecord(id("b"))])
        #expect(state.pendingRecordZoneChanges.count == 2)
    }

    @Test("a state that an earlier version stored is decoded, and the numbers of additions are not stored")
    func oldState() throws {
        let old = OldState(
            changes: [.init(isSave: true, id: id("a")), .init(isSave: false, id: id("b"))],
            zones: [.init(isSave: true, id: zone.zoneID)])
        let data = try JSONEncoder().encode(old)
        let state = SyncEngine.State(try JSONDecoder().decode(SyncEngine.State.Serialization.self, from: data))
        #expect(state.pendingRecordZoneChanges == [.saveRecord(id("a")), .deleteRecord(id("b"))])
        #expect(state.pendingDatabaseChanges == [.saveZone(zone)])
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        let encoded = try JSONEncoder().encode(try #require(state.takeChanged()))
        #expect(try JSONDecoder().decode(OldState.self, from: encoded) == old)
        #expect(!String(decoding: encoded, as: UTF8.self).contains("number"))
    }

    @Test("a device whose first send finds no zone gets the deletions after its second one")
    func deletionsAfterMissingZone() async throws {
        let database = try Container(identifier: "com.example.sync", backend: MemoryBackend()).privateDatabase
        let deleted = Mutex<[RecordID]>([])
        let device = Recorder { [zone] event, engine in
            switch event {
            case .sentRecordZoneChanges(let changes) where !changes.failedRecordSaves.isEmpty:
                engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
                engine.state.add(
                    pendingRecordZoneChanges: changes.failedRecordSaves.map { .saveRecord($0.record.recordID) })
            case .fetchedRecordZoneChanges(let changes): deleted.withLock { $0 += changes.deletions.map(\.recordID) }
            default: break
            }
        }
        let engine = device.engine(database)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        await #expect(throws: CabinetError.self) { try await engine.sendChanges() }
        try await engine.sendChanges()
        try await database.deleteRecord(withID: id("a"))
        try await engine.fetchChanges()
        #expect(deleted.withLock(\.self) == [id("a")])
    }

    @Test("a closure that reads its actor provides records")
    func providerInActor() async {
        let batch = await Notebook(["a": "one"]).batch([.saveRecord(id("a")), .saveRecord(id("b"))])
        #expect(batch?.recordsToSave.map { $0["text"] as? String } == ["one"])
    }

    @Test("a fetch that continues from the beginning returns what this engine has sent")
    func ownRecordsAfterFailure() async throws {
        let backend = FaultInjectingBackend()
        let database = try Container(identifier: "com.example.sync", backend: backend).privateDatabase
        let fetched = Mutex<[String]>([])
        let reader = Recorder { event, _ in
            guard case .fetchedRecordZoneChanges(let changes) = event else { return }
            fetched.withLock { $0 += changes.modifications.map(\.record.recordID.recordName) }
        }
        let engine = SyncEngine(
            .init(database: database, stateSerialization: nil, delegate: reader, automaticallySync: false),
            schedule: SyncSchedule(), pageSize: 1)
        try await database.save(zone)
        try await engine.fetchChanges()
        let records = ["a", "b"].map { Record(recordType: "Notes", recordID: id($0)) }
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        engine.rememberSent(try results.values.map { try $0.get() })
        engine.state.change { $0.setToken(nil, ofZone: zone.zoneID) }
        // The second page fails.
        backend.inject(.failure(.networkFailure), on: .read, at: 3)
        await #expect(throws: CabinetError.self) { try await engine.fetchChanges() }
        #expect(fetched.withLock { $0 } == ["a"])
        try await engine.fetchChanges()
        #expect(fetched.withLock { $0 } == ["a", "b"])
    }

    @Test("the memory of sent records is bounded")
    func bound() throws {
        let engine = Recorder().engine(try container().privateDatabase)
        engine.rememberSent((0...SyncEngine.maximumSentTags).map { Record(recordType: "Notes", recordID: id("\($0)")) })
        #expect(engine.sentTags.withLock { $0.count } == 1)
    }
}

/// A state as the first version stored it.
private struct OldState: Codable, Equatable {
    struct Change<ID: Codable & Equatable>: Codable, Equatable {
        let isSave: Bool
        let id: ID
    }

    var changes: [Change<RecordID>]
    var zones: [Change<RecordZone.ID>]
    var zoneTokens: [String] = []
    var unfetched: [RecordZone.ID] = []
    var hasPendingUntrackedChanges = false
}

/// An actor whose closure provides the records of a batch.
private actor Notebook {
    private let texts: [String: String]

    init(_ texts: [String: String]) { self.texts = texts }

    func batch(_ changes: [SyncEngine.PendingRecordZoneChange]) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { self.record($0) }
    }

    private func record(_ id: RecordID) -> Record? {
        guard let text = texts[id.recordName] else { return nil }
        var record = Record(recordType: "Notes", recordID: id)
        record["text"] = text
        return record
    }
}

/// A delegate that tries to send while it handles an event.
private final class Sender: SyncEngineDelegate {
    let onError: @Sendable (CabinetError.Code) -> Void

    init(onError: @escaping @Sendable (CabinetError.Code) -> Void) { self.onError = onError }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        do {
            try await syncEngine.sendChanges()
        } catch {
            onError((error as? CabinetError)?.code ?? .internalError)
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}
