import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// The status of a mirror, as a program shows it.
@Suite("Status of a mirror")
struct StatusTests {
    @Test("is not idle at any moment of a fetch that fails", arguments: RemoteKind.allCases)
    func failedFetch(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = ObservedBackend(base: MemoryBackend())
        let device = try await scene.device(on: store, syncs: true)
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        let idle = Mutex<[Bool]>([])
        // The lease that the fetch releases is the last write, after the failure and before the wait.
        store.observe { idle.withLock { $0.append(device.mirror.status.isIdle) } }
        device.link.isCutOff = true
        // A change elsewhere wakes the fetch.
        try await scene.remote.save(scene.note("a", "1"))
        try await eventually("The mirror waits.") {
            if case .waiting(_, pending: 0, let error) = device.mirror.status {
                error.code == .networkUnavailable
            } else {
                false
            }
        }
        store.observe {}
        #expect(idle.withLock { $0.count } > 1)
        #expect(idle.withLock { !$0.contains(true) })
        await device.mirror.close()
    }

    @Test("says of how many records a first fetch has brought some, also after an interruption")
    func progress() async throws {
        let scene = try await MirrorScene()
        let second = RecordZone.ID(zoneName: "Second")
        try await scene.remote.save(RecordZone(zoneID: second))
        for zone in [scene.home, second] {
            for number in 0..<20 { try await scene.remote.save(scene.note("n\(number)", "1", in: zone)) }
            for number in 0..<5 {
                let id = RecordID(recordName: "o\(number)", zoneID: zone)
                try await scene.remote.save(Record(recordType: "Others", recordID: id))
            }
        }
        let store = MemoryBackend()
        let first = try await scene.device(on: store) { $0.pageSize = 10 }
        first.link.pass(FetchZoneChangesRequest.name, 1)
        await #expect(throws: CabinetError.self) { try await first.mirror.fetchChanges() }

        let next = try await scene.device(on: store) { $0.pageSize = 10 }
        next.link.observe(FetchZoneChangesRequest.name) { next.mirror.status.description }
        try await next.mirror.fetchChanges()
        #expect(
            next.link.observations == [
                "fetching", "fetching 20 of 50 changes", "fetching 25 of 50 changes", "fetching 35 of 50 changes",
                "fetching 45 of 50 changes",
            ])
        #expect(next.link.names.filter { $0 == AggregateRequest.name }.count == 4)
        #expect(next.mirror.status.isIdle)

        // The next fetch has a token, and counts what comes.
        try await scene.remote.save((0..<30).map { scene.note("m\($0)", "2") })
        next.link.observe(FetchZoneChangesRequest.name) { next.mirror.status.description }
        try await next.mirror.fetchChanges()
        #expect(
            next.link.observations == ["fetching", "fetching, 10 changes so far", "fetching, 20 changes so far"])
        #expect(next.link.names.filter { $0 == AggregateRequest.name }.count == 4)
    }

    @Test("of a server that does not count has the number so far")
    func unknownTotal() async throws {
        let scene = try await MirrorScene(.iCloud)
        for number in 0..<20 { try await scene.remote.save(scene.note("n\(number)", "1")) }
        let device = try await scene.device { $0.pageSize = 10 }
        for number in 20..<40 { try await scene.remote.save(scene.note("n\(number)", "1")) }
        device.link.observe(FetchZoneChangesRequest.name) { device.mirror.status.description }
        try await device.mirror.fetchChanges()
        #expect(device.link.observations == ["fetching", "fetching, 10 changes so far"])
    }
}

/// A store that calls a closure before each write.
private final class ObservedBackend: WrappingBackend {
    let base: any StorageBackend
    private struct Observer {
        var body: @Sendable () -> Void = {}
    }

    private let observer = Mutex(Observer())

    init(base: any StorageBackend) {
        self.base = base
    }

    func observe(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0.body = body } }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        observer.withLock { $0.body }()
        return try await base.write(database, body)
    }
}
