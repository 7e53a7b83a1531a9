import Cabinet
import CabinetMirror
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

/// Promise 7 of the article "Mirroring a server": nothing that was not sent is dropped when the server or the user changes.
@Suite("Losses that a mirror survives")
struct LossTests {
    @Test("An expired token drops nothing that was not sent", arguments: RemoteKind.allCases)
    func expiredToken(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, retention: ChangeRetention(count: 1))
        let device = try await scene.device()
        for name in ["a", "b", "c", "d"] { try await device.set("1", of: name) }
        try await device.sync()
        try await device.set("2", of: "a")
        try await device.set("2", "title", of: "b")
        for name in ["b", "c", "d"] { try await scene.remote.deleteRecord(withID: scene.id(name)) }
        try await device.sync()
        #expect(try await scene.text(of: "a") == "2")
        // The edit of a deleted record creates it again, by default.
        #expect(try await scene.text("title", of: "b") == "2")
        #expect(try await device.text(of: "c") == nil)
        #expect(try await device.text(of: "d") == nil)
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "An answer that is older than a fetch after an expired token does not return a record",
        arguments: RemoteKind.allCases)
    func expiredTokenBeforeAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, retention: ChangeRetention(count: 1))
        let device = try await scene.device()
        for name in ["b", "c"] { try await device.set("1", of: name) }
        try await device.sync()
        try await scene.remote.save(scene.note("a", "theirs"))
        try await device.set("mine", of: "a")
        device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let send: Void = device.mirror.sendChanges()
        try await eventually("The conflict is on its way.") { device.link.heldCount == 1 }
        for name in ["a", "b", "c"] { try await scene.remote.deleteRecord(withID: scene.id(name)) }
        try await device.mirror.fetchChanges()
        device.link.release()
        try await send
        try await device.sync()
        // iCloud sends no record with a conflict, and the next read of it finds none: the change creates it.
        let text = kind == .cabinet ? nil : "mine"
        #expect(try await device.text(of: "a") == text)
        #expect(try await scene.text(of: "a") == text)
        #expect(device.mirror.status.isIdle)
    }

    @Test("The deletion of a zone asks what to do with changes in it", arguments: RemoteKind.allCases, [true, false])
    func deletedZone(on kind: RemoteKind, isKept: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: MirrorScene.zone))
        for name in ["a", "b"] { try await device.set("1", of: name, in: MirrorScene.zone) }
        try await device.sync()
        try await device.set("2", of: "a", in: MirrorScene.zone)
        try await scene.remote.deleteRecordZone(withID: MirrorScene.zone)
        try await device.sync()
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.error?.code) == [.zoneNotFound])
        #expect(try await device.text(of: "a", in: MirrorScene.zone) == "2")
        #expect(try await device.text(of: "b", in: MirrorScene.zone) == nil)
        if isKept {
            try await device.mirror.retry(changes.map(\.recordID))
            try await device.sync()
            #expect(try await scene.text(of: "a", in: MirrorScene.zone) == "2")
        } else {
            try await device.mirror.discard(changes.map(\.recordID))
            await #expect(throws: CabinetError.self) { try await device.text(of: "a", in: MirrorScene.zone) }
        }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "A zone that was deleted and created again has its new records, and no change of the earlier zone is saved in it unasked",
        arguments: RemoteKind.allCases, [true, false])
    func recreatedZone(on kind: RemoteKind, isKept: Bool) async throws {
        let zone = MirrorScene.zone
        let scene = try await MirrorScene(kind)
        let device = try await scene.device { $0.deletionConflict = .deletionWins }
        try await device.database.save(RecordZone(zoneID: zone))
        for name in ["a", "b", "both", "deleted"] { try await device.set("1", of: name, in: zone) }
        try await device.sync()
        for name in ["a", "new"] { try await device.set("2", of: name, in: zone) }
        try await device.set("2", "title", of: "both", in: zone)
        try await device.database.deleteRecord(withID: RecordID(recordName: "deleted", zoneID: zone))
        try await scene.remote.deleteRecordZone(withID: zone)
        try await scene.remote.save(RecordZone(zoneID: zone))
        for name in ["both", "c", "deleted"] { try await scene.remote.save(scene.note(name, "3", in: zone)) }
        try await device.sync()
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.recordID.recordName) == ["a", "both", "new"])
        #expect(changes.allSatisfy { $0.error?.code == .zoneNotFound })
        for (name, text) in [("b", nil), ("both", "3"), ("c", "3"), ("deleted", "3"), ("a", nil), ("new", nil)] {
            #expect(try await scene.text(of: name, in: zone) == text)
        }
        for (name, text) in [("b", nil), ("both", "3"), ("c", "3"), ("deleted", "3"), ("a", "2"), ("new", "2")] {
            #expect(try await device.text(of: name, in: zone) == text)
        }
        #expect(try await scene.text("title", of: "both", in: zone) == nil)
        if isKept {
            try await device.mirror.retry(changes.map(\.recordID))
        } else {
            try await device.mirror.discard(changes.map(\.recordID))
        }
        try await device.sync()
        for database in [device.database, try scene.remote] {
            for name in ["a", "new"] { #expect(try await database.text(of: name, in: zone) == (isKept ? "2" : nil)) }
            for name in ["both", "c", "deleted"] { #expect(try await database.text(of: name, in: zone) == "3") }
            #expect(try await database.text("title", of: "both", in: zone) == (isKept ? "2" : nil))
            #expect(try await database.text(of: "b", in: zone) == nil)
        }
        #expect(device.mirror.status.isIdle)
    }

    @Test("An edit that is sent before the zone is fetched is saved in the new zone", arguments: RemoteKind.allCases)
    func recreatedZoneBeforeFetch(on kind: RemoteKind) async throws {
        let zone = MirrorScene.zone
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: zone))
        for name in ["a", "b"] { try await device.set("1", of: name, in: zone) }
        try await device.sync()
        try await device.set("2", of: "a", in: zone)
        try await scene.remote.deleteRecordZone(withID: zone)
        try await scene.remote.save(RecordZone(zoneID: zone))
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "a", in: zone) == "2")
        try await device.sync()
        for database in [device.database, try scene.remote] {
            #expect(try await database.text(of: "a", in: zone) == "2")
            #expect(try await database.text(of: "b", in: zone) == nil)
        }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "A zone that was created again is recognized before another selection is applied",
        arguments: RemoteKind.allCases)
    func recreatedZoneBeforeSelection(on kind: RemoteKind) async throws {
        let (zone, store) = (MirrorScene.zone, MemoryBackend())
        let scene = try await MirrorScene(kind)
        let first = try await scene.device(on: store)
        try await first.database.save(RecordZone(zoneID: zone))
        try await first.set("1", of: "a", in: zone)
        try await first.sync()
        try await first.set("2", of: "a", in: zone)
        try await scene.remote.deleteRecordZone(withID: zone)
        try await scene.remote.save(RecordZone(zoneID: zone))
        let second = try await scene.device(on: store) { $0.selection.recordTypes = ["Notes"] }
        try await second.sync()
        #expect(try await second.mirror.pendingChanges().map(\.error?.code) == [.zoneNotFound])
        #expect(try await scene.text(of: "a", in: zone) == nil)
        #expect(try await second.text(of: "a", in: zone) == "2")
    }

    @Test("The same holds if it is created again between the list of zones and the fetch of its records")
    func recreatedZoneAfterList() async throws {
        let zone = MirrorScene.zone
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: zone))
        try await device.set("1", of: "a", in: zone)
        try await device.sync()
        try await device.set("2", of: "a", in: zone)
        try await scene.remote.save(scene.note("b", "1", in: zone))
        device.link.holdAnswers(to: FetchDatabaseChangesRequest.name)
        async let fetch: Void = device.mirror.fetchChanges()
        try await eventually("The list is on its way.") { device.link.heldCount == 1 }
        try await scene.remote.deleteRecordZone(withID: zone)
        try await scene.remote.save(RecordZone(zoneID: zone))
        device.link.release()
        try await fetch
        try await device.sync()
        #expect(try await device.mirror.pendingChanges().map(\.error?.code) == [.zoneNotFound])
        #expect(try await scene.text(of: "a", in: zone) == nil)
        #expect(try await device.text(of: "b", in: zone) == nil)
    }

    @Test(
        "The removal of the program's data from the server empties no device", arguments: RemoteKind.allCases,
        [DatabaseChange.Deletion.Reason.purged, .encryptedDataReset])
    func purgedZone(on kind: RemoteKind, reason: DatabaseChange.Deletion.Reason) async throws {
        let scene = try await MirrorScene(kind)
        let link = TestLink(PurgingService(base: try scene.service(for: scene.user), reason: reason))
        let device = try await scene.device(through: link)
        try await device.database.save(RecordZone(zoneID: MirrorScene.zone))
        for name in ["a", "b", "c"] { try await device.set("1", of: name, in: MirrorScene.zone) }
        try await device.sync()
        try await device.set("2", of: "a", in: MirrorScene.zone)
        try await scene.remote.deleteRecordZone(withID: MirrorScene.zone)
        try await device.sync()
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.recordID.recordName) == ["a", "b", "c"])
        #expect(changes.allSatisfy { $0.error?.code == (reason == .purged ? .userDeletedZone : .zoneNotFound) })
        #expect(try await device.text(of: "b", in: MirrorScene.zone) == "1")
        await #expect(throws: CabinetError.self) { try await scene.text(of: "a", in: MirrorScene.zone) }

        try await device.mirror.discard([changes[2].recordID])
        try await device.mirror.retry(changes.prefix(2).map(\.recordID))
        try await device.sync()
        #expect(try await scene.text(of: "a", in: MirrorScene.zone) == "2")
        #expect(try await scene.text(of: "b", in: MirrorScene.zone) == "1")
        #expect(try await scene.text(of: "c", in: MirrorScene.zone) == nil)
        #expect(try await device.text(of: "c", in: MirrorScene.zone) == nil)
        #expect(device.mirror.status.isIdle)
    }

    @Test("A server without the records drops nothing that was not sent", arguments: RemoteKind.allCases)
    func lostServer(on kind: RemoteKind) async throws {
        let store = MemoryBackend()
        let before = try await MirrorScene(kind)
        let first = try await before.device(on: store)
        for name in ["a", "b"] { try await first.set("1", of: name) }
        try await first.sync()
        try await first.set("2", "title", of: "a")
        let after = try await MirrorScene(kind)
        let second = try await after.device(on: store)
        try await second.sync()
        #expect(try await after.text("title", of: "a") == "2")
        #expect(try await after.text(of: "a") == "1")
        #expect(try await second.text(of: "b") == nil)
        #expect(second.mirror.status.isIdle)
    }

    @Test(
        "A server that was restored from an older backup drops nothing that was not sent",
        arguments: RemoteKind.allCases)
    func restoredServer(on kind: RemoteKind) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mirror-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (live, backup) = (folder.appendingPathComponent("live"), folder.appendingPathComponent("backup"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = MemoryBackend()
        func serve(_ body: (MirrorScene, TestDevice) async throws -> Void) async throws {
            let scene = try await MirrorScene(kind, on: SQLiteBackend(directory: live))
            let device = try await scene.device(on: store)
            try await body(scene, device)
            await device.link.close()
            await scene.server.close()
        }
        try await serve { _, device in
            for name in ["a", "edited"] { try await device.set("1", of: name) }
            try await device.sync()
        }
        try FileManager.default.copyItem(at: live, to: backup)
        try await serve { scene, device in
            scene.clock.advance(by: 10)
            for name in ["a", "edited"] { try await device.set("2", of: name) }
            try await device.set("1", of: "b")
            try await device.sync()
            try await device.set("9", "title", of: "a")
            try await device.set("9", of: "edited")
            try await device.set("9", of: "c")
        }
        try FileManager.default.removeItem(at: live)
        try FileManager.default.moveItem(at: backup, to: live)
        try await serve { scene, device in
            try await device.sync()
            #expect(try await scene.text("title", of: "a") == "9")
            #expect(try await scene.text(of: "a") == "1")
            // The backup has another value of the field, and no client has changed it there.
            #expect(try await scene.text(of: "edited") == "9")
            #expect(try await scene.text(of: "c") == "9")
            #expect(try await device.text(of: "a") == "1")
            #expect(try await device.text(of: "b") == nil)
            #expect(device.mirror.status.isIdle)
        }
    }

    @Test(
        "Another account has another store, and what was pending stays with its account", arguments: RemoteKind.allCases
    )
    func changedAccount(on kind: RemoteKind) async throws {
        let store = MemoryBackend()
        let server = MemoryBackend()
        let ann = try await MirrorScene(kind, on: server).device(on: store)
        try await ann.set("1", of: "a")
        let ben = try await MirrorScene(kind, on: server, user: "_ben").device(on: store)
        try await ben.sync()
        #expect(try await ben.text(of: "a") == nil)
        #expect(try await ben.mirror.pendingChanges().isEmpty)
        let scene = try await MirrorScene(kind, on: server)
        try await scene.device(on: store).sync()
        #expect(try await scene.text(of: "a") == "1")
    }

    @Test(
        "A store with another user's records is refused or reset, as the program says", arguments: RemoteKind.allCases,
        [true, false])
    func storeOfAnotherUser(on kind: RemoteKind, isReset: Bool) async throws {
        let (store, server) = (MemoryBackend(), MemoryBackend())
        let scene = try await MirrorScene(kind, on: server)
        let ann = try await scene.device(on: store)
        try await ann.set("1", of: "a")
        try await ann.sync()
        try await ann.set("2", of: "a")
        try await ann.set("1", of: "new")
        let other = try await MirrorScene(kind, on: server, user: "_ben")
        let ben = try await other.device(on: store) { $0.accountChange = isReset ? .resets : .fails }
        if isReset {
            try await ben.sync()
            #expect(ben.mirror.status.isIdle)
        } else {
            await #expect { try await ben.mirror.fetchChanges() } throws: { error in
                let error = error as? CabinetError
                return error?.code == .badContainer && error?.message.contains("'_ann'") == true
            }
            await #expect(throws: CabinetError.self) { try await ben.mirror.sendChanges() }
        }
        for name in ["a", "new"] { #expect(try await other.text(of: name) == nil) }
        #expect(try await scene.text(of: "a") == "1")

        let again = try await scene.device(on: store)
        #expect(try await again.mirror.pendingChanges().count == (isReset ? 0 : 2))
        try await again.sync()
        #expect(try await again.text(of: "a") == (isReset ? "1" : "2"))
        #expect(try await scene.text(of: "new") == (isReset ? nil : "1"))
        #expect(again.mirror.status.isIdle)
    }

    @Test("A store of another container sends nothing to this one", arguments: [true, false])
    func storeOfAnotherContainer(isReset: Bool) async throws {
        let store = MemoryBackend()
        let scene = try await MirrorScene()
        let first = try await scene.device(on: store)
        try await first.database.save(RecordZone(zoneID: MirrorScene.zone))
        for zone in [RecordZone.ID.default, MirrorScene.zone] { try await first.set("1", of: "a", in: zone) }
        try await first.sync()
        try await first.set("2", of: "a")
        let server = try LocalDatabaseService(backend: MemoryBackend())
        let remote = try Container(identifier: "com.example.other", service: server, account: scene.user)
        try await remote.privateDatabase.save(MirrorScene.note("b", "other"))
        var configuration = MirrorConfiguration()
        (configuration.automaticallySyncs, configuration.accountChange) = (false, isReset ? .resets : .keepsApart)
        let mirror = try MirrorDatabaseService(mirroring: remote, in: store, configuration: configuration)
        let database = try mirror.container().privateDatabase
        if isReset {
            try await mirror.fetchChanges()
            try await mirror.sendChanges()
            #expect(try await database.text(of: "a") == nil)
            #expect(try await database.text(of: "b") == "other")
            #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
            #expect(mirror.status.isIdle)
        } else {
            await #expect { try await mirror.sendChanges() } throws: { ($0 as? CabinetError)?.code == .badContainer }
            #expect(try await database.text(of: "a") == "2")
        }
        #expect(try await remote.privateDatabase.text(of: "a") == nil)
    }
}

/// A server that reports the deletion of zones with another reason, as CloudKit does.
struct PurgingService: WrappingService {
    let base: any DatabaseService
    let reason: DatabaseChange.Deletion.Reason

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        guard var changes = response as? FetchDatabaseChangesRequest.Response else { return response }
        changes.deletions = changes.deletions.map { DatabaseChange.Deletion(zoneID: $0.zoneID, reason: reason) }
        return changes as? Request.Response ?? response
    }
}
