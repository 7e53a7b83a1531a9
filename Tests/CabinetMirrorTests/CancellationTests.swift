import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetMirror

/// Fetches, sends and reads of a mirror whose task is cancelled, or whose mirror is closed.
@Suite("Cancellation in a mirror", .timeLimit(.minutes(15)))
struct CancellationTests {
    private let bytes = Data("picture".utf8)

    /// Saves a note with an asset on the server.
    private func savePicture(_ scene: MirrorScene) async throws {
        var note = scene.note("a", "1")
        note["file"] = Asset(data: bytes)
        try await scene.remote.save(note)
    }

    /// Starts a send, which the server does not answer.
    private func heldSend(of device: TestDevice) async throws -> Task<Void, any Error> {
        try await device.set("1", of: "a")
        device.link.hold("modifyRecords")
        let sending = Task { try await device.mirror.sendChanges() }
        try await eventually("The device sends.") { device.link.heldCount == 1 }
        return sending
    }

    @Test("A send that is cancelled leaves no lease")
    func lease() async throws {
        let scene = try await MirrorScene()
        let store = MemoryBackend()
        let first = try await scene.device(on: store)
        let sending = try await heldSend(of: first)
        sending.cancel()
        first.link.release()
        await #expect(throws: CabinetError(.operationCancelled)) { try await sending.value }
        try await scene.device(on: store).mirror.sendChanges()
        #expect(try await scene.text(of: "a") == "1")
    }

    @Test("A send that is cancelled ends its upload")
    func upload() async throws {
        let scene = try await MirrorScene()
        let server = RefusingService(base: scene.server)
        let device = try await scene.device(through: TestLink(server))
        var note = scene.note("a", "1")
        note["file"] = Asset(data: bytes)
        try await device.database.save(note)
        device.link.hold("finishUpload")
        let sending = Task { try await device.mirror.sendChanges() }
        try await eventually("The device sends the bytes.") { device.link.heldCount == 1 }
        sending.cancel()
        device.link.release()
        await #expect(throws: CabinetError(.operationCancelled)) { try await sending.value }
        #expect(server.endedUploads.withLock { $0 } > 0)
    }

    @Test("A mirror that is closed during a send leaves no lease")
    func leaseOfClosedMirror() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mirror-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let scene = try await MirrorScene()
        let first = try await scene.device(on: SQLiteBackend(directory: folder))
        let sending = try await heldSend(of: first)
        await first.mirror.close()
        first.link.release()
        _ = await sending.result
        let second = try await scene.device(on: SQLiteBackend(directory: folder))
        try await second.mirror.sendChanges()
        #expect(try await scene.text(of: "a") == "1")
        await second.mirror.close()
    }

    @Test("A fetch that waits for another one leaves when it is cancelled")
    func waitingFetch() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        device.link.hold("fetchDatabaseChanges")
        let first = Task { try await device.mirror.fetchChanges() }
        try await eventually("The device fetches.") { device.link.heldCount == 1 }
        let second = Task { try await device.mirror.fetchChanges() }
        second.cancel()
        await #expect(throws: CabinetError(.operationCancelled)) { try await second.value }
        device.link.release()
        try await first.value
    }

    @Test("A CancellationError of the server's service is reported as operationCancelled")
    func foreignError() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device(through: TestLink(SleepingService(base: scene.server)))
        let task = Task { try await device.mirror.fetchChanges() }
        try await eventually("The device fetches.") { !device.link.names.isEmpty }
        task.cancel()
        await #expect(throws: CabinetError(.operationCancelled)) { try await task.value }
    }

    @Test("A read that is cancelled does not wait for the bytes of an asset, and a later one gets them")
    func read() async throws {
        let scene = try await MirrorScene()
        try await savePicture(scene)
        let device = try await scene.device()
        try await device.sync()
        device.link.hold(TestLink.bytes)
        let reading = Task { try await device.database.record(for: scene.id("a")) }
        try await eventually("The mirror fetches the bytes.") { device.link.heldCount == 1 }
        reading.cancel()
        await #expect(throws: CabinetError(.operationCancelled)) { try await reading.value }
        device.link.release()
        let asset: Asset? = try await device.database.record(for: scene.id("a"))["file"]
        #expect(try await asset?.data() == bytes)
    }

    @Test("A mirror that is closed does not wait for the bytes that it fetches")
    func closing() async throws {
        let scene = try await MirrorScene()
        try await savePicture(scene)
        let link = TestLink(scene.server)
        link.hold(TestLink.bytes)
        let device = try await scene.device(through: link, syncs: true) { $0.assets.fetching = .atOnce }
        try await eventually("The mirror fetches the bytes.") { link.heldCount == 1 }
        await device.mirror.close()
        #expect(link.heldCount == 1)
        link.release()
    }
}

/// A service that refuses the requests of cancelled tasks, as one on a server does.
private final class RefusingService: WrappingService {
    let base: any DatabaseService
    let endedUploads = Mutex(0)

    init(base: any DatabaseService) { self.base = base }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if Task.isCancelled { throw CabinetError(.operationCancelled, "The task was cancelled.") }
        if let end = request as? EndUploadsRequest { endedUploads.withLock { $0 += end.uploads.count } }
        return try await base.perform(request, for: caller)
    }
}

/// A service that answers no request, and throws `CancellationError` when its task is cancelled.
private struct SleepingService: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await Task.sleep(for: .seconds(3_600))
        return try await base.perform(request, for: caller)
    }
}
