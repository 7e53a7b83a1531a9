import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetMirror

/// Requests that a server refuses, or takes in smaller ones.
@Suite("Sends of a mirror")
struct SendingTests {
    @Test("go in requests that the server takes", arguments: RemoteKind.allCases)
    func batches(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, limits: Limits(itemsPerRequest: 3))
        let device = try await scene.device()
        for number in 0..<10 { try await device.set("\(number)", of: "n\(number)") }
        try await device.mirror.sendChanges()
        for number in 0..<10 { #expect(try await scene.text(of: "n\(number)") == "\(number)") }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "have the targets of references first, also those that are far away", arguments: RemoteKind.allCases,
        [1, 2, 200])
    func order(on kind: RemoteKind, batchSize: Int) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device { $0.batchSize = batchSize }
        // Each refers to the next one, in the order in which they are read.
        let names = (0..<9).map { "n\($0)" }
        let notes = zip(names, names.dropFirst() + ["n0"]).map { name, next in
            var note = scene.note(name, name)
            // Records that refer to each other in a circle need one request.
            let isLast = next == "n0" && batchSize < names.count
            note["next"] = isLast ? nil : Reference(recordID: scene.id(next), action: .deleteSelf)
            return note
        }
        try await device.database.save(notes)
        try await device.mirror.sendChanges()
        #expect(device.mirror.status.isIdle)
        for name in names { #expect(try await scene.text(of: name) == name) }
        // iCloud refuses the first request, because it recognizes no repetition.
        let requests = device.link.names.filter { $0 == ModifyRecordsRequest.name }.count
        #expect(requests == (8 + batchSize) / batchSize + (kind == .iCloud ? 1 : 0))
    }

    @Test("go on with what refers to a record whose edit is set aside", arguments: RemoteKind.allCases)
    func targetSetAside(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, limits: Limits(bytesPerRecord: 2_000))
        let device = try await scene.device()
        try await device.set("1", of: "list")
        try await device.sync()
        try await device.set(String(repeating: "x", count: 2_500), of: "list")
        try await device.mirror.sendChanges()
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.recordID == scene.id("list") && change.error != nil)
        var note = scene.note("note", "1")
        note["list"] = Reference(recordID: scene.id("list"), action: .deleteSelf)
        try await device.database.save(note)
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "note") == "1")
        #expect(device.mirror.status.description == "1 change set aside")
    }

    @Test("set aside what refers to a record that another client has deleted", arguments: RemoteKind.allCases)
    func missingTarget(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("1", of: "list")
        try await device.sync()
        var note = scene.note("note", "1")
        note["list"] = Reference(recordID: scene.id("list"), action: .deleteSelf)
        try await device.database.save([note, scene.note("zz", "1")])
        try await scene.remote.deleteRecord(withID: scene.id("list"))
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "zz") == "1")
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.recordID == note.recordID && change.error?.code == .referenceViolation)
        try await device.mirror.discard([change.recordID])
        try await device.sync()
        for name in ["list", "note"] { #expect(try await device.text(of: name) == nil) }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "send a record again that was edited while the server refused it because of another one",
        arguments: RemoteKind.allCases)
    func editOfRefused(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.set("1", of: "list")
        try await device.sync()
        var note = scene.note("note", "1")
        note["list"] = Reference(recordID: scene.id("list"), action: .deleteSelf)
        note = try await device.database.save(note)
        try await scene.remote.deleteRecord(withID: scene.id("list"))
        device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let send: Void = device.mirror.sendChanges()
        try await eventually("The refusal is on its way.") { device.link.heldCount == 1 }
        (note["text"], note["list"]) = ("2", nil as Reference?)
        try await device.database.save(note)
        device.link.release()
        try await send
        #expect(try await scene.text(of: "note") == "2")
        #expect(device.mirror.status.isIdle)
    }

    @Test("upload an asset again that the server has lost, and fail if it loses the asset again and again")
    func lostAsset() async throws {
        let scene = try await MirrorScene()
        let server = ForgetfulServer(base: try scene.service(for: scene.user))
        let device = try await scene.device(through: TestLink(server))
        for (name, losses) in [("a", 2), ("b", 1_000)] {
            server.losses.withLock { $0 = losses }
            var note = scene.note(name, "1")
            note["file"] = Asset(data: Data(name.utf8))
            try await device.database.save(note)
            if losses > 2 {
                await #expect { try await device.mirror.sendChanges() } throws: { error in
                    (error as? CabinetError)?.code == .zoneBusy
                }
                #expect(try await device.mirror.pendingChanges().map(\.error?.code) == [nil])
                server.losses.withLock { $0 = 0 }
            }
            try await device.mirror.sendChanges()
            let asset: Asset? = try await scene.remote.record(for: scene.id(name))["file"]
            #expect(try await asset?.data() == Data(name.utf8))
            #expect(device.mirror.status.isIdle)
        }
    }

    @Test("set aside what violates the server's schema, with the record, and go on")
    func schema() async throws {
        var schema = Schema()
        schema["Notes"] = .init(fields: ["text": .init(.string)])
        let scene = try await MirrorScene(schema: .strict(schema))
        let device = try await scene.device()
        try await device.set("1", "title", of: "a")
        try await device.set("2", of: "b")
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "b") == "2")
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.recordID == scene.id("a") && change.error?.recordID == scene.id("a"))
        #expect("\(device.mirror.status)" == "1 change set aside")
        try await device.mirror.discard([change.recordID])
        #expect(try await device.text("title", of: "a") == nil)
        #expect(device.mirror.status.isIdle)
    }

    @Test("wait while the server is full, and keep the changes", arguments: RemoteKind.allCases)
    func quota(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let full = FullServer(base: try scene.service(for: scene.user))
        let device = try await scene.device(through: TestLink(full))
        try await device.set("1", of: "a")
        await #expect { try await device.mirror.sendChanges() } throws: { error in
            (error as? CabinetError)?.code == .quotaExceeded
        }
        #expect(try await device.mirror.pendingChanges().map(\.error?.code) == [nil])
        full.isFull.withLock { $0 = false }
        try await device.mirror.sendChanges()
        #expect(try await scene.text(of: "a") == "1")
    }

    @Test(
        "are repeated after waits that double up to five minutes, differ, and are those that the server asks for")
    func waits() {
        for jitter in [0.0, 1.0] {
            var schedule = MirrorSchedule(now: { Date() })
            schedule.jitter = { jitter }
            let full = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { $0 * (0.5 + jitter / 2) }
            let error = CabinetError(.networkFailure, "The network is away.")
            #expect((1...11).map { schedule.wait(after: error, failures: $0) } == full)
            let wish = CabinetError(.requestRateLimited, "Wait.", retryAfterSeconds: 60)
            #expect((60.0...60.1).contains(schedule.wait(after: wish, failures: 1)))
            for seconds in [1e300, .infinity] {
                let wish = CabinetError(.requestRateLimited, "Wait.", retryAfterSeconds: seconds)
                #expect((86_400.0...86_430).contains(schedule.wait(after: wish, failures: 20)))
            }
        }
    }

    @Test(
        "are not repeated before their time after a refusal, however many signals come, and at once after a new connection",
        arguments: [(CabinetError.Code.notAuthenticated, 1), (.quotaExceeded, 1), (.networkUnavailable, 4)])
    func signals(code: CabinetError.Code, count: Int) async throws {
        let timers = Timers()
        let runs = Mutex(0)
        let loop = MirrorLoop(timers.schedule, MirrorState([.private]), isFetch: false) {
            runs.withLock { $0 += 1 }
            throw CabinetError(code, "No.")
        }
        let task = Task { await loop.run() }
        loop.wake()
        for number in 1...4 {
            while runs.withLock(\.self) < min(number, count) { try await Task.sleep(for: .milliseconds(1)) }
            try await Task.sleep(for: .milliseconds(20))
            loop.wakeBySignal()
        }
        try await Task.sleep(for: .milliseconds(50))
        let before = runs.withLock(\.self)
        #expect(before == (count == 1 ? 1 : 5))
        // Of the timers of all failures, the last one alone ends the wait.
        while timers.count.withLock(\.self) < before { try await Task.sleep(for: .milliseconds(1)) }
        timers.ring()
        while runs.withLock(\.self) == before { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(runs.withLock(\.self) == before + 1)
        loop.stop()
        task.cancel()
        timers.ring()
    }

    @Test("are halved until the answer of the server is short enough, if a page is fetched")
    func largePages() async throws {
        let scene = try await MirrorScene()
        let server = PickyServer(base: try scene.service(for: scene.user))
        let device = try await scene.device(through: TestLink(server))
        for number in 0..<40 { try await scene.remote.save(scene.note("n\(number)", "\(number)")) }
        try await device.mirror.fetchChanges()
        #expect(try await device.database.count(matching: Query(recordType: "Notes")) == 40)
    }

    @Test("of a zone that the server refuses are set aside with it, and sent again together")
    func refusedZone() async throws {
        let scene = try await MirrorScene()
        let server = PickyServer(base: try scene.service(for: scene.user))
        let device = try await scene.device(through: TestLink(server))
        let zoneID = RecordZone.ID(zoneName: "New")
        let id = RecordID(recordName: "a", zoneID: zoneID)
        try await device.database.save(RecordZone(zoneID: zoneID))
        try await device.database.save(Record(recordType: "Notes", recordID: id))
        try await device.mirror.sendChanges()
        #expect(try await device.mirror.pendingChanges().map(\.error?.code) == [.invalidArguments])
        #expect(try await device.mirror.pendingChange(of: id)?.error?.code == .invalidArguments)
        await #expect("Nor is it shared.") {
            try await device.database.save(Share(recordZoneID: zoneID))
        } throws: { error in
            (error as? CabinetError)?.code == .invalidArguments
        }
        server.refusesZones.withLock { $0 = false }
        try await device.mirror.retry([id])
        try await device.mirror.sendChanges()
        #expect(try await scene.remote.record(for: id).recordID == id)
        #expect(device.mirror.status.isIdle)
    }

    @Test("that wait for one that is set aside do not keep the mirror busy")
    func waiting() async throws {
        var schema = Schema()
        schema["Notes"] = .init(fields: ["text": .init(.string), "list": .init(.reference)])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mirror-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = CountingStore(SQLiteBackend(directory: folder))
        let scene = try await MirrorScene(schema: .strict(schema))
        let device = try await scene.device(on: store, syncs: true)
        try await device.set("1", "title", of: "a")
        var child = scene.note("b", "2")
        child["list"] = Reference(recordID: scene.id("a"), action: .deleteSelf)
        try await device.database.save(child)
        var status = ""
        for _ in 0..<4_000 where status != "1 change set aside, 1 change to send" {
            try await Task.sleep(for: .milliseconds(5))
            status = try await device.mirror.readStatus().description
        }
        #expect(status == "1 change set aside, 1 change to send")
        // A file of SQLite is watched more closely for three seconds after a change.
        try await Task.sleep(for: .seconds(4))
        let before = store.counts.writes
        try await Task.sleep(for: .seconds(1))
        #expect(store.counts.writes - before < 20)
        await device.container.close()
    }
}

/// Timers that a test ends.
private final class Timers: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    /// The number of timers so far.
    let count = Mutex(0)

    var schedule: MirrorSchedule {
        // No wait ends by itself.
        let now = Date()
        var schedule = MirrorSchedule(now: { now })
        schedule.sleep = { [self] _ in
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append(continuation) }
                count.withLock { $0 += 1 }
            }
        }
        return schedule
    }

    func ring() {
        for continuation in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
        }) { continuation.resume() }
    }
}

/// A server that answers no long pages, and creates no zones at first.
private final class PickyServer: WrappingService {
    let base: any DatabaseService
    let refusesZones = Mutex(true)

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if let fetch = request as? FetchZoneChangesRequest, fetch.resultsLimit ?? .max > 10 {
            throw CabinetError(.limitExceeded, "The answer is too long.")
        }
        if let change = request as? ModifyZonesRequest, !change.zonesToSave.isEmpty, refusesZones.withLock(\.self) {
            throw CabinetError(.invalidArguments, "No zones.")
        }
        return try await base.perform(request, for: caller)
    }
}

/// A server that loses the uploads of requests at first.
private final class ForgetfulServer: WrappingService {
    let base: any DatabaseService
    let losses = Mutex(0)

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        guard var change = request as? ModifyRecordsRequest, !change.uploads.isEmpty, losses.withLock({ $0 > 0 }) else {
            return try await base.perform(request, for: caller)
        }
        losses.withLock { $0 -= 1 }
        change.uploads = []
        return try await base.perform(change as? Request ?? request, for: caller)
    }
}

/// A server that has no room for records at first.
private final class FullServer: WrappingService {
    let base: any DatabaseService
    let isFull = Mutex(true)

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if Request.name == ModifyRecordsRequest.name, isFull.withLock({ $0 }) {
            throw CabinetError(.quotaExceeded, "The store is full.")
        }
        return try await base.perform(request, for: caller)
    }
}
