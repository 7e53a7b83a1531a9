import Cabinet
import CabinetMirror
import CabinetSQLite
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// The promises of the article "Mirroring a server", in its order.
@Suite("Promises of a mirror")
struct PromiseTests {
    private static let big = String(repeating: "x", count: 3_000)

    @Test(
        "A save and the memory that it has to be sent are one transaction", arguments: RemoteKind.allCases,
        [true, false])
    func oneTransaction(on kind: RemoteKind, isCommitted: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let faults = FaultInjectingBackend(store)
        let device = try await scene.device(on: faults)
        faults.inject(isCommitted ? .connectionLostAfterCommit() : .connectionLostBeforeCommit(), on: .write)
        await #expect(throws: CabinetError.self) { try await device.database.save(scene.note("a", "1")) }
        let next = try await scene.device(on: store)
        #expect(try await next.text(of: "a") == (isCommitted ? "1" : nil))
        #expect(try await next.mirror.pendingChanges().count == (isCommitted ? 1 : 0))
        try await next.mirror.sendChanges()
        #expect(try await scene.text(of: "a") == (isCommitted ? "1" : nil))
    }

    @Test("Ten edits are one change, which carries the version that they are based on", arguments: RemoteKind.allCases)
    func mergedEdits(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("0", of: "a")
        try await device.sync()
        for text in 1...10 { try await device.set("\(text)", of: "a") }
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map { $0.serverRecord?["text"] as? String } == ["0"])
        let before = device.link.names.filter { $0 == "modifyRecords" }.count
        try await device.mirror.sendChanges()
        #expect(device.link.names.filter { $0 == "modifyRecords" }.count == before + 1)
        #expect(try await scene.text(of: "a") == "10")
        #expect(try await device.mirror.pendingChanges().isEmpty)
    }

    @Test(
        "A record that the server refuses is set aside, and only what refers to it waits",
        arguments: RemoteKind.allCases)
    func setAside(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, limits: Limits(bytesPerRecord: 2_000))
        let device = try await scene.device()
        let bad = try await device.database.save(scene.note("bad", Self.big))
        var child = scene.note("child", "1")
        child["list"] = Reference(record: bad, action: .deleteSelf)
        try await device.database.save([child, scene.note("zz", "1")])
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "zz") == "1")
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.recordID.recordName) == ["bad", "child"])
        #expect(changes.first?.error?.code == .limitExceeded)
        #expect(changes.last?.waitingFor == bad.recordID)
        guard case .setAside(1, pending: 2) = device.mirror.status else {
            Issue.record("The status is \(device.mirror.status).")
            return
        }
        // An edit is a retry.
        try await device.set("small", of: "bad")
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "child") == "1")
        #expect(device.mirror.status.isIdle)
    }

    @Test("A change that is set aside can be discarded", arguments: RemoteKind.allCases)
    func discarded(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, limits: Limits(bytesPerRecord: 2_000))
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        try await device.set(Self.big, of: "a")
        try await device.set(Self.big, of: "b")
        try await device.mirror.sendChanges()
        let ids = try await device.mirror.pendingChanges().filter { $0.error != nil }.map(\.recordID)
        #expect(ids.count == 2)
        try await device.mirror.discard(ids)
        #expect(try await device.text(of: "a") == "1")
        #expect(try await device.text(of: "b") == nil)
        #expect(device.mirror.status.isIdle)
    }

    @Test("Fetching does not wait for sending", arguments: RemoteKind.allCases)
    func independentFetch(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device(syncs: true)
        device.link.hold("modifyRecords")
        try await device.set("1", of: "a")
        try await eventually("The mirror sends.") { device.link.names.contains("modifyRecords") }
        try await scene.remote.save(scene.note("b", "2"))
        try await eventually("The other client's record arrives.") { try await device.text(of: "b") == "2" }
        #expect(try await scene.text(of: "a") == nil)
        device.link.release()
        try await eventually("The change is sent.") { device.mirror.status.isIdle }
        await device.mirror.close()
    }

    @Test("Sending goes on by itself after a failure, without another write", arguments: RemoteKind.allCases)
    func resumes(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device(syncs: true)
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        device.link.isCutOff = true
        try await device.set("1", of: "a")
        try await eventually("The mirror waits.") {
            if case .waiting(_, pending: 1, let error) = device.mirror.status {
                error.code == .networkUnavailable
            } else {
                false
            }
        }
        device.link.isCutOff = false
        try await eventually("The change is sent.") { device.mirror.status.isIdle }
        #expect(try await scene.text(of: "a") == "1")
        await device.mirror.close()
    }

    @Test("Sending goes on by itself after a restart", arguments: RemoteKind.allCases)
    func resumesAfterRestart(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let first = try await scene.device(on: store)
        try await first.set("1", of: "a")
        let second = try await scene.device(on: store, syncs: true)
        try await eventually("The change is sent.") { second.mirror.status.isIdle }
        #expect(try await scene.text(of: "a") == "1")
        await second.mirror.close()
    }

    @Test(
        "A send whose answer was lost is recognized", arguments: RemoteKind.allCases,
        [(1.0, true), (1.0, false), (3_600.0, true), (3_600.0, false)])
    func lostAnswer(on kind: RemoteKind, _ loss: (seconds: Double, hasLaterEdit: Bool)) async throws {
        let (seconds, hasLaterEdit) = loss
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let conflicts = Mutex(0)
        let resolver = ConflictResolver { conflict in
            conflicts.withLock { $0 += 1 }
            return conflict.serverRecord
        }
        let first = try await scene.device(on: store) { $0.resolver = resolver }
        try await first.set("1", of: "a")
        first.link.loseAnswers(1)
        await #expect(throws: CabinetError.self) { try await first.mirror.sendChanges() }
        if hasLaterEdit { try await first.set("2", of: "a") }
        // The server remembers what it has answered for ten minutes; after that, the content says it.
        scene.clock.advance(by: seconds)
        let second = try await scene.device(on: store) { $0.resolver = resolver }
        try await second.sync()
        #expect(conflicts.withLock { $0 } == 0)
        #expect(try await scene.text(of: "a") == (hasLaterEdit ? "2" : "1"))
        #expect(second.mirror.status.isIdle)
    }

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
            try await device.set("1", of: "a")
            try await device.sync()
        }
        try FileManager.default.copyItem(at: live, to: backup)
        try await serve { _, device in
            try await device.set("2", of: "a")
            try await device.set("1", of: "b")
            try await device.sync()
            try await device.set("9", "title", of: "a")
            try await device.set("9", of: "c")
        }
        try FileManager.default.removeItem(at: live)
        try FileManager.default.moveItem(at: backup, to: live)
        try await serve { scene, device in
            try await device.sync()
            #expect(try await scene.text("title", of: "a") == "9")
            #expect(try await scene.text(of: "a") == "1")
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

    @Test("The status is not idle while something is pending", arguments: RemoteKind.allCases)
    func status(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device(syncs: true)
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        device.link.hold("modifyRecords")
        for number in 1...20 {
            try await device.set("\(number)", of: "a\(number)")
            #expect(!device.mirror.status.isIdle)
        }
        var statuses = device.mirror.statuses.makeAsyncIterator()
        device.link.release()
        while let status = await statuses.next() {
            guard status.isIdle else { continue }
            #expect(try await device.mirror.pendingChanges().isEmpty)
            break
        }
        await device.mirror.close()
        // The stream ends with the mirror.
        while await statuses.next() != nil {}
    }

    @Test("Local reads make the same calls as those of a plain container")
    func costs() async throws {
        let scene = try await MirrorScene()
        let (plain, mirrored) = (FaultInjectingBackend(MemoryBackend()), FaultInjectingBackend(MemoryBackend()))
        let container = try Container(identifier: MirrorScene.container, backend: plain, account: scene.user)
        let device = try await scene.device(on: mirrored)
        var counts: [Int] = []
        for (database, backend) in [(container.privateDatabase, plain), (device.database, mirrored)] {
            try await database.save((1...20).map { scene.note("a\($0)", "\($0)") })
            if backend === mirrored { try await device.sync() }
            let start = (backend.calls.last?.number ?? 0)
            _ = try await database.record(for: scene.id("a1"))
            let query = Query(recordType: "Notes", filter: try Filter("text != '3'"))
            #expect(try await database.records(matching: query).matchResults.count == 19)
            _ = try await database.recordZoneChanges(inZoneWith: scene.home, since: nil)
            counts.append((backend.calls.last?.number ?? 0) - start)
        }
        #expect(counts[0] == counts[1])
    }

    @Test("An idle mirror sends nothing, and does not touch its store", arguments: RemoteKind.allCases)
    func idle(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = FaultInjectingBackend(MemoryBackend())
        let device = try await scene.device(on: store, syncs: true)
        try await device.set("1", of: "a")
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        // On a busy machine, what the save has begun ends later.
        try await eventually("The mirror rests.") {
            let before = store.calls.last?.number
            try await Task.sleep(for: .milliseconds(500))
            return store.calls.last?.number == before
        }
        let (requests, calls) = (device.link.names.count, (store.calls.last?.number ?? 0))
        try await Task.sleep(for: .milliseconds(1_500))
        #expect(device.link.names.count == requests)
        #expect((store.calls.last?.number ?? 0) == calls)
        await device.mirror.close()
    }

    @Test(
        "One process sends at a time, and another one takes over when its lease has ended",
        arguments: RemoteKind.allCases)
    func lease(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let first = try await scene.device(on: store)
        let second = try await scene.device(on: store)
        try await first.set("1", of: "a")
        first.link.hold("modifyRecords")
        let sending = Task { try await first.mirror.sendChanges() }
        try await eventually("The first process sends.") { first.link.names.contains("modifyRecords") }
        await #expect { try await second.mirror.sendChanges() } throws: { error in
            let error = error as? CabinetError
            return error?.code == .operationCancelled && (error?.retryAfterSeconds ?? 0) > 0
        }
        scene.clock.advance(by: 100)
        try await second.mirror.sendChanges()
        #expect(try await scene.text(of: "a") == "1")
        try await second.set("2", of: "a")
        // The answer of the first process comes too late to change anything, unless the lease is free by then.
        first.link.release()
        try? await sending.value
        try await second.sync()
        #expect(try await scene.text(of: "a") == "2")
        #expect(second.mirror.status.isIdle)
    }
}

/// A server that reports the deletion of zones with another reason, as CloudKit does.
private struct PurgingService: WrappingService {
    let base: any DatabaseService
    let reason: DatabaseChange.Deletion.Reason

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        guard var changes = response as? FetchDatabaseChangesRequest.Response else { return response }
        changes.deletions = changes.deletions.map { DatabaseChange.Deletion(zoneID: $0.zoneID, reason: reason) }
        return changes as? Request.Response ?? response
    }
}
