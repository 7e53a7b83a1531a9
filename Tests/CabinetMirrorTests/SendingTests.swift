import Cabinet
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
        }
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
