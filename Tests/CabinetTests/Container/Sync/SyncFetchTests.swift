import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Fetches of a sync engine that are interrupted or fail in part")
struct SyncFetchTests {
    private let backend = FaultInjectingBackend()
    private let notes = RecordZone.ID(zoneName: "Notes")

    private func database(_ retention: ChangeRetention = ChangeRetention()) throws -> Database {
        try Container(
            identifier: "com.example.sync", backend: backend, account: Account(userRecordName: "_ann"),
            changeRetention: retention
        ).privateDatabase
    }

    private func note(_ name: String, in zoneID: RecordZone.ID? = nil) -> Record {
        Record(recordType: "Notes", recordID: RecordID(recordName: name, zoneID: zoneID ?? notes))
    }

    @Test("The deletion of a zone is reported after a list of the zones was interrupted between its pages")
    func interruptedZoneList() async throws {
        let database = try database()
        for name in ["A", "B", "Notes"] { try await database.save(RecordZone(zoneName: name)) }
        let device = FetchingDevice()
        let engine = device.engine(database, pageSize: 1)
        try await engine.fetchChanges()
        try await database.deleteRecordZone(withID: notes)
        // As after the token has expired.
        engine.state.change { $0.databaseToken = nil }
        device.onNextEvent(named: "fetchedDatabaseChanges") { [backend] in
            backend.inject(.failure(.networkFailure), on: .read)
        }
        await #expect(throws: CabinetError.self) { try await engine.fetchChanges() }
        #expect(device.deletedZones == [])
        let restarted = device.engine(database, try device.storedState(), pageSize: 1)
        try await restarted.fetchChanges()
        #expect(device.deletedZones == [notes])
        try await restarted.fetchChanges()
        #expect(device.deletedZones == [notes])
    }

    @Test("The deletion of a zone whose records were not fetched is reported, also if the deletion is forgotten")
    func forgottenZone() async throws {
        let database = try database(ChangeRetention(count: 1))
        for name in ["A", "B", "Notes"] { try await database.save(RecordZone(zoneName: name)) }
        let device = FetchingDevice()
        let engine = device.engine(database)
        let options = SyncEngine.FetchChangesOptions(scope: .zoneIDs([RecordZone.ID(zoneName: "A")]))
        try await engine.fetchChanges(options)
        for name in ["Notes", "B"] { try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: name)) }
        try await engine.fetchChanges(options)
        #expect(Set(device.deletedZones.map(\.zoneName)) == ["B", "Notes"])
    }

    @Test("A record that is sent while a fetch of the whole zone is interrupted is reported too")
    func sendWithinFetch() async throws {
        let database = try database()
        try await database.save(RecordZone(zoneID: notes))
        _ = try await database.modifyRecords(saving: ["a", "b"].map { note($0) }, deleting: [])
        let device = FetchingDevice()
        let engine = device.engine(database, pageSize: 1)
        device.onNextEvent(named: "fetchedRecordZoneChanges") { [backend] in
            backend.inject(.failure(.networkFailure), on: .read)
        }
        await #expect(throws: CabinetError.self) { try await engine.fetchChanges() }
        #expect(device.fetched == ["a"])
        let restarted = device.engine(database, try device.storedState(), pageSize: 1)
        restarted.state.add(pendingRecordZoneChanges: [.saveRecord(note("c").recordID)])
        try await restarted.sendChanges()
        try await restarted.fetchChanges()
        #expect(device.fetched == ["a", "b", "c"])
        // The whole zone was fetched: own records are left out again.
        restarted.state.add(pendingRecordZoneChanges: [.saveRecord(note("d").recordID)])
        try await restarted.sendChanges()
        try await restarted.fetchChanges()
        #expect(device.fetched == ["a", "b", "c"])
    }

    @Test("A page that is too large is fetched in halves")
    func largePage() async throws {
        let database = try database()
        try await database.save(RecordZone(zoneID: notes))
        _ = try await database.modifyRecords(saving: ["a", "b", "c", "d"].map { note($0) }, deleting: [])
        let device = FetchingDevice()
        device.onNextEvent(named: "willFetchRecordZoneChanges") { [backend] in
            backend.inject(.failure(.limitExceeded), on: .read)
        }
        try await device.engine(database, pageSize: 4).fetchChanges()
        #expect(device.pages == [["a", "b"], ["c", "d"]])
    }

    @Test("A page of one record that is too large is an error")
    func largeRecord() async throws {
        let database = try database()
        try await database.save(RecordZone(zoneID: notes))
        try await database.save(note("a"))
        let device = FetchingDevice()
        device.onNextEvent(named: "willFetchRecordZoneChanges") { [backend] in
            backend.inject(.failure(.limitExceeded), on: .read, times: nil)
        }
        let engine = device.engine(database)
        await #expect(throws: CabinetError.self) { try await engine.fetchChanges() }
        #expect(device.failures == [.limitExceeded])
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [notes])
    }

    @Test(
        "After the failure of a zone the others are fetched, unless theirs would fail too",
        arguments: [(CabinetError.Code.internalError, ["b"]), (.requestRateLimited, [])])
    func failingZone(code: CabinetError.Code, fetched: [String]) async throws {
        let database = try database()
        let zones = ["A", "B"].map { RecordZone.ID(zoneName: $0) }
        for zone in zones {
            try await database.save(RecordZone(zoneID: zone))
            try await database.save(note(zone.zoneName.lowercased(), in: zone))
        }
        let device = FetchingDevice()
        let engine = device.engine(database)
        device.onNextEvent(named: "willFetchRecordZoneChanges") { [backend] in
            backend.inject(.failure(code), on: .read)
        }
        let options = SyncEngine.FetchChangesOptions(prioritizedZoneIDs: zones)
        let error = await #expect(throws: CabinetError.self) { try await engine.fetchChanges(options) }
        #expect(error?.code == code && device.failures == [code])
        #expect(device.fetched == fetched)
        try await engine.fetchChanges(options)
        #expect(Set(device.fetched) == ["a", "b"])
    }

    @Test("A record under the user's own name is sent once")
    func ownName() async throws {
        let database = try database()
        try await database.save(RecordZone(zoneID: notes))
        let device = FetchingDevice()
        let engine = device.engine(database)
        let own = note("a", in: RecordZone.ID(zoneName: "Notes", ownerName: "_ann"))
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(own.recordID)])
        try await engine.sendChanges()
        #expect(device.sent == ["a"])
        #expect(engine.state.pendingRecordZoneChanges == [])
        // The zone's token is that of its first send, so that deletions since then are reported.
        try await database.deleteRecord(withID: own.recordID)
        try await engine.fetchChanges()
        #expect(device.deleted == ["a"])
    }
}

/// A delegate that records what arrives.
private final class FetchingDevice: SyncEngineDelegate {
    private struct Content {
        var pages: [[String]] = []
        var deleted: [String] = []
        var sent: [String] = []
        var failures: [CabinetError.Code] = []
        var deletedZones: [RecordZone.ID] = []
        var state: SyncEngine.State.Serialization?
        var onEvent: (name: String, body: @Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    var pages: [[String]] { content.withLock(\.pages) }
    var fetched: [String] { pages.flatMap(\.self) }
    var deleted: [String] { content.withLock(\.deleted) }
    var sent: [String] { content.withLock(\.sent) }
    var failures: [CabinetError.Code] { content.withLock(\.failures) }
    var deletedZones: [RecordZone.ID] { content.withLock(\.deletedZones) }

    func engine(
        _ database: Database, _ state: SyncEngine.State.Serialization? = nil, pageSize: Int? = nil
    ) -> SyncEngine {
        SyncEngine(
            .init(database: database, stateSerialization: state, delegate: self, automaticallySync: false),
            schedule: SyncSchedule(), pageSize: pageSize)
    }

    /// The state that was reported last, after it was stored.
    func storedState() throws -> SyncEngine.State.Serialization {
        let data = try JSONEncoder().encode(content.withLock(\.state))
        return try JSONDecoder().decode(SyncEngine.State.Serialization.self, from: data)
    }

    /// Runs a closure once, after the next event of a kind.
    func onNextEvent(named name: String, _ body: @escaping @Sendable () -> Void) {
        content.withLock { $0.onEvent = (name, body) }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        let body = content.withLock { content -> (@Sendable () -> Void)? in
            switch event {
            case .stateUpdate(let update): content.state = update.stateSerialization
            case .fetchedDatabaseChanges(let changes): content.deletedZones += changes.deletions.map(\.zoneID)
            case .fetchedRecordZoneChanges(let changes):
                let names = changes.modifications.map(\.record.recordID.recordName)
                if !names.isEmpty { content.pages.append(names) }
                content.deleted += changes.deletions.map(\.recordID.recordName)
            case .didFetchRecordZoneChanges(let zone): content.failures += [zone.error?.code].compactMap(\.self)
            case .sentRecordZoneChanges(let changes):
                content.sent += changes.savedRecords.map(\.recordID.recordName)
            default: break
            }
            guard let onEvent = content.onEvent, "\(event)".hasPrefix("\(onEvent.name)(") else { return nil }
            content.onEvent = nil
            return onEvent.body
        }
        body?()
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
            Record(recordType: "Notes", recordID: $0)
        }
    }
}
