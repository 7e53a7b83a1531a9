import Cabinet
import CabinetMirror
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
        #expect(try await device.mirror.pendingChange(of: child.recordID)?.waitingFor == bad.recordID)
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

    @Test("A page that is older than what a send has applied is asked for again", arguments: RemoteKind.allCases)
    func outdatedPage(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        try await scene.remote.change(scene.id("a"), "other", "2")
        device.link.holdAnswers(to: FetchZoneChangesRequest.name)
        async let fetch: Void = device.mirror.fetchChanges()
        try await eventually("The page is on its way.") { device.link.heldCount == 1 }
        // The send finds the same change, and adds its own.
        try await device.set("3", of: "a")
        try await device.mirror.sendChanges()
        device.link.release()
        try await fetch
        #expect(try await device.text(of: "a") == "3")
        #expect(try await device.text("other", of: "a") == "2")
    }

    @Test("An answer that is older than a fetched deletion does not return the record", arguments: RemoteKind.allCases)
    func outdatedAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        try await scene.remote.change(scene.id("a"), "text", "theirs")
        try await device.set("mine", of: "a")
        device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let send: Void = device.mirror.sendChanges()
        try await eventually("The conflict is on its way.") { device.link.heldCount == 1 }
        try await device.database.deleteRecord(withID: scene.id("a"))
        try await scene.remote.deleteRecord(withID: scene.id("a"))
        try await device.mirror.fetchChanges()
        device.link.release()
        try await send
        try await device.sync()
        #expect(try await device.text(of: "a") == nil)
        #expect(try await scene.text(of: "a") == nil)
        #expect(device.mirror.status.isIdle)
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
        // iCloud does not signal a new connection, so the wait after the last of several failures may have to end.
        try await eventually("The change is sent.", within: .seconds(180)) { device.mirror.status.isIdle }
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

    @Test(
        "An edit after a send whose answer was lost is not in conflict with it, also if another client has changed more",
        arguments: RemoteKind.allCases)
    func editAfterLostAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("0", of: "a")
        try await device.sync()
        try await device.set("1", of: "a")
        device.link.loseAnswers(1)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        try await device.set("2", of: "a")
        try await scene.remote.change(scene.id("a"), "title", "theirs")
        // A server of Cabinet has forgotten by then what it has answered.
        scene.clock.advance(by: 3_600)
        try await device.sync()
        #expect(try await scene.text(of: "a") == "2")
        #expect(try await scene.text("title", of: "a") == "theirs")
        #expect(device.mirror.status.isIdle)
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

    @Test(
        "An idle mirror sends nothing, does not touch its store, and listens to its server once",
        arguments: RemoteKind.allCases, [false, true])
    func idle(on kind: RemoteKind, hasAll: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let store = FaultInjectingBackend(MemoryBackend())
        let device = try await scene.device(on: store, syncs: true) { configuration in
            configuration.selection.includesSharedZones = hasAll
            configuration.selection.publicRecords = hasAll ? ["Notes": .constant(true)] : [:]
        }
        try await eventually("The zone of the records arrives.") {
            try await device.database.allRecordZones().contains { $0.zoneID == scene.home }
        }
        try await device.set("1", of: "a")
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        // On a busy machine, what the save has begun ends later.
        try await eventually("The mirror rests.") {
            let before = (store.calls.last?.number, device.link.names.count)
            try await Task.sleep(for: .milliseconds(500))
            return (store.calls.last?.number, device.link.names.count) == before
        }
        let (requests, calls) = (device.link.names.count, (store.calls.last?.number ?? 0))
        try await Task.sleep(for: .milliseconds(1_500))
        #expect(device.link.names.count == requests)
        #expect((store.calls.last?.number ?? 0) == calls)
        #expect(device.link.listeners == 1)
        await device.mirror.close()
    }

    @Test(
        "One process sends at a time, and another one takes over when its lease has ended",
        arguments: RemoteKind.allCases)
    func lease(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        // The lease is that of its process, also for one with another configuration.
        let first = try await scene.device(on: store) { $0.leaseDuration = .seconds(90) }
        let second = try await scene.device(on: store)
        try await first.set("1", of: "a")
        first.link.hold("modifyRecords")
        let sending = Task { try await first.mirror.sendChanges() }
        try await eventually("The first process sends.") { first.link.names.contains("modifyRecords") }
        await #expect { try await second.mirror.sendChanges() } throws: { error in
            let error = error as? CabinetError
            return error?.code == .zoneBusy && (error?.retryAfterSeconds ?? 0) > 0
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
