#if !canImport(Darwin)
import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

/// A mirror of iCloud, beside programs that use CloudKit itself.
@Suite("A mirror of iCloud")
struct ICloudMirrorTests {
    @Test("and a program with CKSyncEngine edit the same records")
    func syncEngine() async throws {
        let scene = try await MirrorScene(.iCloud)
        let device = try await scene.device()
        let program = SyncProgram(zoneID: CKRecordZone.ID(zoneName: scene.home.zoneName))
        let engine = program.engine(RemoteKind.cloud(over: try scene.container(of: "_ann")).privateCloudDatabase)
        try await device.set("from the mirror", of: "a")
        try await device.set("from the mirror", of: "b")
        program.edit("c", "from the engine", engine)
        func exchange() async throws {
            for _ in 0..<2 {
                try await device.sync()
                try await engine.fetchChanges()
                try await engine.sendChanges()
            }
            try await device.sync()
        }
        try await exchange()
        #expect(program.texts == ["a": "from the mirror", "b": "from the mirror", "c": "from the engine"])
        #expect(try await device.text(of: "c") == "from the engine")

        // Both edit without a network: one record each, and one both.
        try await device.set("mirror 2", of: "c")
        try await device.set("mirror 2", of: "b")
        program.edit("a", "engine 2", engine)
        program.edit("b", "engine 2", engine)
        try await device.database.save(scene.note("d", "new"))
        try await exchange()
        let texts = ["a": "engine 2", "c": "mirror 2", "d": "new"]
        for (name, text) in texts {
            #expect(program.texts[name] == text)
            #expect(try await device.text(of: name) == text)
        }
        let both = try await device.text(of: "b")
        #expect(program.texts["b"] == both)
        #expect(both == "mirror 2" || both == "engine 2")

        // Each deletes what the other one has.
        program.edit("c", nil, engine)
        try await device.database.deleteRecord(withID: scene.id("a"))
        try await exchange()
        #expect(program.texts.keys.sorted() == ["b", "d"])
        for name in ["a", "c"] { #expect(try await device.text(of: name) == nil) }
        #expect(device.mirror.status.isIdle)
    }

    @Test("has no default zone: a save there, and a selection that names it, are refused")
    func defaultZone() async throws {
        let scene = try await MirrorScene(.iCloud)
        let remote = try Container(
            identifier: MirrorScene.container, service: scene.service(for: scene.user), account: scene.user)
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = false
        let container = try Container(mirroring: remote, in: MemoryBackend(), configuration: configuration)
        let note = MirrorScene.note("a", "1")
        await #expect { try await container.privateDatabase.save(note) } throws: { error in
            let error = error as? CabinetError
            return error?.code == .invalidArguments && error?.recordID == note.recordID
        }
        try await container.mirror?.fetchChanges()
        try await container.privateDatabase.save(scene.note("a", "1"))
        try await container.mirror?.sendChanges()
        #expect(try await scene.text(of: "a") == "1")
        #expect(try await scene.remote.text(of: "a") == nil)
        configuration.selection.zoneIDs = [.default, scene.home]
        #expect { try Container(mirroring: remote, in: MemoryBackend(), configuration: configuration) } throws: {
            ($0 as? CabinetError)?.code == .invalidArguments
        }
    }

    @Test("compares versions before it deletes, because CloudKit does not")
    func deletion() async throws {
        let scene = try await MirrorScene(.iCloud)
        let device = try await scene.device()
        for name in ["a", "b"] { try await device.set("1", of: name) }
        try await device.sync()
        for name in ["a", "b"] { try await device.database.deleteRecord(withID: scene.id(name)) }
        try await scene.remote.set("2", "text", of: "a", in: scene.home)
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "a") == "2")
        #expect(try await scene.text(of: "b") == nil)
        try await device.sync()
        #expect(try await device.text(of: "a") == "2")
        #expect(device.mirror.status.isIdle)
    }

    @Test("keeps an asset that another device has added to a record that was edited here")
    func assetInConflict() async throws {
        let scene = try await MirrorScene(.iCloud)
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        var note = try await scene.remote.record(for: scene.id("a"))
        note["file"] = Asset(data: Data("bytes".utf8))
        try await scene.remote.save(note)
        try await device.set("2", of: "a")
        // The send meets the conflict before a fetch does.
        try await device.mirror.sendChanges()
        try await device.sync()
        #expect(try await scene.text(of: "a") == "2")
        for database in [try scene.remote, device.database] {
            let asset: Asset? = try await database.record(for: scene.id("a"))["file"]
            #expect(try await asset?.data() == Data("bytes".utf8))
        }
        #expect(device.mirror.status.isIdle)
    }

    @Test("sets records with values that iCloud encrypts aside, and goes on with the others")
    func encryptedValues() async throws {
        let scene = try await MirrorScene(.iCloud)
        let keys = TestEncryption()
        func service() throws -> any DatabaseService {
            try RemoteKind.iCloudService(over: scene.container(of: "_ann").encrypting(with: keys.encryption))
        }
        let cloud = try Container(identifier: MirrorScene.container, service: service(), account: scene.user)
            .privateDatabase
        func conceal(_ name: String, _ value: String?) async throws {
            var note = try await cloud.record(for: scene.id(name))
            note.encryptedValues["place"] = value
            try await cloud.save(note)
        }
        let names = ["a", "edited", "new"]
        for name in names { try await cloud.save(scene.note(name, "1")) }
        try await conceal("new", "under the mat")
        let device = try await scene.device(through: TestLink(service()))
        try await device.sync()
        #expect(try await device.text(of: "a") == "1")
        #expect(try await device.text(of: "new") == nil)
        try await device.set("2", of: "edited")
        for name in ["a", "edited"] { try await conceal(name, "under the mat") }
        try await cloud.save(scene.note("last", "1"))
        for _ in 0..<2 {
            try await device.sync()
            let changes = try await device.mirror.pendingChanges()
            #expect(changes.map(\.recordID.recordName) == names)
            #expect(changes.map(\.isIncoming) == [true, false, true])
            #expect(changes.allSatisfy { $0.error?.code == .invalidArguments && $0.error?.fieldKey == "place" })
            #expect(try await device.text(of: "edited") == "2")
            #expect(try await device.text(of: "last") == "1")
            // A retry does not send an edit that would remove the value.
            try await device.mirror.retry(changes.map(\.recordID))
        }
        try await device.sync()
        for name in names {
            let note = try await cloud.record(for: scene.id(name))
            #expect(note.encryptedValues["place"] == "under the mat")
            try await conceal(name, nil)
        }
        try await device.sync()
        let open = try await device.mirror.pendingChanges()
        #expect(open.map(\.recordID.recordName) == ["edited"])
        try await device.mirror.retry(open.map(\.recordID))
        try await device.sync()
        #expect(try await scene.text(of: "edited") == "2")
        #expect(try await device.text(of: "new") == "1")
        #expect(device.mirror.status.isIdle)
    }

    @Test("leaves a value out that no field can hold, and reads the others")
    func unreadableValue() throws {
        let reader = RecordReader(
            scope: .private, user: "_ann", assets: ICloudAssets(), systemFields: SystemFieldsCache())
        let id = RecordID(recordName: "a")
        let number = NSNumber(value: UInt64.max)
        #expect(try reader.fieldValue(of: number, "field", in: id, skipsUnreadable: true) == nil)
        #expect(try reader.fieldValue(of: "text", "field", in: id, skipsUnreadable: true) == .string("text"))
        #expect(throws: CabinetError.self) { try reader.fieldValue(of: number, "field", in: id) }
    }

    @Test("sends nothing for another account of the device")
    func accountOfDevice() async throws {
        let backend = MemoryBackend()
        let registry = ContainerRegistry()
        func signIn(_ name: String) {
            let options = CabinetCloudKit.Options(account: Account(userRecordName: name))
            registry.configure(options) { try Container($0, over: backend, $1) }
            NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
        }
        func records(of name: String) async throws -> [Record] {
            let container = try Container(
                identifier: MirrorScene.container, backend: backend, account: Account(userRecordName: name))
            return try await container.privateDatabase.allRecords(matching: Query(recordType: "Notes"))
        }
        signIn("_ann")
        let cloud = CKContainer(identifier: MirrorScene.container, registry: registry)
        let store = MemoryBackend()
        func mirror() async throws -> MirrorDatabaseService {
            var configuration = MirrorConfiguration()
            configuration.automaticallySyncs = false
            return try MirrorDatabaseService(
                mirroring: try await Container(iCloud: cloud), in: store, configuration: configuration)
        }
        let ann = try await mirror()
        let database = try ann.container().privateDatabase
        try await database.save(RecordZone(zoneID: MirrorScene.zone))
        try await database.save(MirrorScene.note("a", "1", in: MirrorScene.zone))
        signIn("_ben")
        try await eventually("The mirror notices the other account.") {
            do {
                try await ann.sendChanges()
                return false
            } catch CabinetError.Code.notAuthenticated {
                return true
            }
        }
        let ben = try await mirror()
        try await ben.fetchChanges()
        try await ben.sendChanges()
        #expect(ben.status.isIdle)
        #expect(try await records(of: "_ben").isEmpty)
        signIn("_ann")
        let again = try await mirror()
        #expect(try await again.pendingChanges().count == 1)
        try await again.sendChanges()
        #expect(try await records(of: "_ann").map(\.recordID.recordName) == ["a"])
        #expect(try await records(of: "_ben").isEmpty)
    }
}

/// A program that was written for CloudKit: notes, which a sync engine keeps in step with iCloud.
private final class SyncProgram: CKSyncEngineDelegate {
    private struct Content {
        var texts: [String: String] = [:]
        var records: [String: CKRecord] = [:]
        var edited: Set<String> = []
    }

    private let content = Mutex(Content())
    private let zoneID: CKRecordZone.ID

    init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }

    func engine(_ database: CKDatabase) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: self)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    var texts: [String: String] { content.withLock(\.texts) }

    /// Edits a note; `nil` deletes it.
    func edit(_ name: String, _ text: String?, _ engine: CKSyncEngine) {
        content.withLock { content in
            content.texts[name] = text
            content.edited.insert(name)
        }
        let id = CKRecord.ID(recordName: name, zoneID: zoneID)
        engine.state.add(pendingRecordZoneChanges: [text == nil ? .deleteRecord(id) : .saveRecord(id)])
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let pending = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
            content.withLock { content in
                guard let text = content.texts[id.recordName] else { return nil }
                let record = content.records[id.recordName] ?? CKRecord(recordType: "Notes", recordID: id)
                record["text"] = text
                return record
            }
        }
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        let again = content.withLock { content -> [CKSyncEngine.PendingRecordZoneChange] in
            switch event {
            case .fetchedRecordZoneChanges(let changes):
                for record in changes.modifications.map(\.record) {
                    let name = record.recordID.recordName
                    content.records[name] = record
                    if !content.edited.contains(name) { content.texts[name] = record["text"] }
                }
                for name in changes.deletions.map(\.recordID.recordName) {
                    content.records[name] = nil
                    if !content.edited.contains(name) { content.texts[name] = nil }
                }
            case .sentRecordZoneChanges(let changes):
                for record in changes.savedRecords {
                    content.records[record.recordID.recordName] = record
                    content.edited.remove(record.recordID.recordName)
                }
                for id in changes.deletedRecordIDs { content.edited.remove(id.recordName) }
                return changes.failedRecordSaves.compactMap { failure in
                    guard failure.error.code == .serverRecordChanged else { return nil }
                    content.records[failure.record.recordID.recordName] = failure.error.serverRecord
                    return .saveRecord(failure.record.recordID)
                }
            default: break
            }
            return []
        }
        syncEngine.state.add(pendingRecordZoneChanges: again)
    }
}
#endif
