import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Fetches that fail in part.
@Suite("Fetches of a mirror")
struct FetchingTests {
    private static let zoneIDs = (1...3).map { RecordZone.ID(zoneName: "Z\($0)") }

    /// Creates a scene whose server has three zones with a note each.
    private func scene(_ kind: RemoteKind) async throws -> MirrorScene {
        let scene = try await MirrorScene(kind)
        for id in Self.zoneIDs {
            try await scene.remote.save(RecordZone(zoneID: id))
            try await scene.remote.save(scene.note("a", "1", in: id))
        }
        return scene
    }

    @Test("bring the changes of the other zones if one cannot be fetched, and fail", arguments: RemoteKind.allCases)
    func failedZone(on kind: RemoteKind) async throws {
        let scene = try await scene(kind)
        let server = FailingZones(base: try scene.service(for: scene.user), zoneID: Self.zoneIDs[0])
        let device = try await scene.device(through: TestLink(server))
        await #expect { try await device.mirror.fetchChanges() } throws: { error in
            (error as? CabinetError)?.message == "The zone cannot be read."
        }
        #expect(try await device.text(of: "a", in: Self.zoneIDs[0]) == nil)
        for id in Self.zoneIDs.dropFirst() { #expect(try await device.text(of: "a", in: id) == "1") }
    }

    @Test("find the zones that were deleted, if a list of all zones was interrupted", arguments: RemoteKind.allCases)
    func interruptedList(on kind: RemoteKind) async throws {
        let scene = try await scene(kind)
        let store = MemoryBackend()
        let first = try await scene.device(on: store)
        try await first.sync()
        #expect(try await first.text(of: "a", in: Self.zoneIDs[1]) == "1")
        try await scene.remote.deleteRecordZone(withID: Self.zoneIDs[1])
        let link = TestLink(SmallPages(base: try scene.service(for: scene.user)))
        link.pass(FetchDatabaseChangesRequest.name, 1)
        // For another selection, the zones are listed from the beginning.
        let second = try await scene.device(on: store, through: link) { $0.selection.recordTypes = ["Notes"] }
        await #expect(throws: CabinetError.self) { try await second.mirror.fetchChanges() }
        link.pass(FetchDatabaseChangesRequest.name, 100)
        try await second.sync()
        let zoneIDs = try await second.database.allRecordZones().map(\.zoneID)
        #expect(!zoneIDs.contains(Self.zoneIDs[1]))
        #expect(zoneIDs.contains(Self.zoneIDs[0]) && zoneIDs.contains(Self.zoneIDs[2]))
        #expect(second.mirror.status.isIdle)
    }
}

/// A server that cannot read one zone.
private struct FailingZones: WrappingService {
    let base: any DatabaseService
    let zoneID: RecordZone.ID

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if (request as? FetchZoneChangesRequest)?.zoneID == zoneID {
            throw CabinetError(.internalError, "The zone cannot be read.")
        }
        return try await base.perform(request, for: caller)
    }
}

/// A server that lists one zone on a page.
private struct SmallPages: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        guard var changes = request as? FetchDatabaseChangesRequest else {
            return try await base.perform(request, for: caller)
        }
        changes.resultsLimit = 1
        return try await base.perform(changes as? Request ?? request, for: caller)
    }
}
