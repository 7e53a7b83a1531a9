import CabinetTesting
import Synchronization
import Testing

@testable import Cabinet

/// A backend whose next write to a database something else precedes.
private final class InterruptedStore: WrappingBackend {
    private struct Interruption: Sendable {
        let database: DatabaseKey
        let body: @Sendable () async throws -> Void
    }

    let base: any StorageBackend = MemoryBackend()
    private let next = Mutex<Interruption?>(nil)

    /// Runs a closure before the next write to a database.
    func interrupt(_ database: DatabaseKey, _ body: @escaping @Sendable () async throws -> Void) {
        next.withLock { $0 = Interruption(database: database, body: body) }
    }

    /// Whether the closure is still to be run.
    var isWaiting: Bool { next.withLock { $0 != nil } }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let interruption = next.withLock { next -> Interruption? in
            guard next?.database == database else { return nil }
            defer { next = nil }
            return next
        }
        try await interruption?.body()
        return try await base.write(database, body)
    }
}

@Suite("A share that is accepted and left at the same time")
struct RejoiningTests {
    private let backend = InterruptedStore()
    private let anna: Container
    private let cleo: Container
    private let shareID = SharedZone.shared(Share.zoneWideRecordName, of: "_anna")

    init() throws {
        let service = try LocalDatabaseService(backend: backend)
        anna = try SharedZone.container(of: "_anna", service)
        cleo = try SharedZone.container(of: "_cleo", service)
    }

    /// Shares a zone with everyone.
    private func share() async throws -> Share {
        try await anna.privateDatabase.save(RecordZone(zoneID: SharedZone.zoneID))
        var share = Share(recordZoneID: SharedZone.zoneID)
        share.publicPermission = .readWrite
        return try await anna.privateDatabase.save(share)
    }

    private func expectZone(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(!backend.isWaiting, sourceLocation: sourceLocation)
        let zones = try await cleo.sharedDatabase.allRecordZones().map(\.zoneID)
        #expect(zones == [shareID.zoneID], sourceLocation: sourceLocation)
    }

    @Test("A user that accepts before the zone is marked as left has it")
    func accepting() async throws {
        let share = try await share()
        try await SharedZone.accept(share, by: cleo)
        backend.interrupt(.shared(owner: "_cleo")) { [cleo] in try await SharedZone.accept(share, by: cleo) }
        try await cleo.sharedDatabase.deleteRecord(withID: shareID)
        try await expectZone()
    }

    @Test("A user that accepts has the zone, also if another device leaves it in between")
    func leaving() async throws {
        let share = try await share()
        backend.interrupt(.private(owner: "_anna")) { [cleo, shareID] in
            try await SharedZone.accept(share, by: cleo)
            try await cleo.sharedDatabase.deleteRecord(withID: shareID)
        }
        try await SharedZone.accept(share, by: cleo)
        try await expectZone()
    }
}
