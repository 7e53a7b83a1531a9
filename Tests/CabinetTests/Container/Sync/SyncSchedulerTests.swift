import CabinetTesting
import Synchronization
import Testing

@testable import Cabinet

@Suite("Fetches of an automatic sync engine", .timeLimit(.minutes(15)))
struct SyncSchedulerTests {
    private static let zoneID = RecordZone.ID(zoneName: "Lists")

    private static func item(_ name: String) -> Record {
        Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zoneID))
    }

    @Test("A change that is saved between a failed read of the notifications and the next one is fetched")
    func failedRead() async throws {
        let backend = FaultInjectingBackend(MemoryBackend())
        let service = try LocalDatabaseService(backend: backend)
        func user(_ name: String) throws -> Container {
            try Container(
                identifier: "com.example.sync", service: service, account: Account(userRecordName: name), deviceID: name
            )
        }
        let (anna, ben) = (try user("_anna"), try user("_ben"))
        try await anna.privateDatabase.save(RecordZone(zoneID: Self.zoneID))
        try await anna.privateDatabase.save(Self.item("one"))
        var share = Share(recordZoneID: Self.zoneID)
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        share = try await anna.privateDatabase.save(share)
        try await ben.accept(try await ben.shareMetadata(for: try #require(share.url)))

        // The notifications alone are read from the private database.
        let delegate = Recorder { backend.inject(.failure(.zoneBusy), on: .read, of: .private(owner: "_ben")) }
        let failures = Mutex(0)
        let schedule = SyncSchedule { _ in
            failures.withLock { $0 += 1 }
            try await anna.privateDatabase.save(Self.item("two"))
        }
        let engine = SyncEngine(
            .init(database: ben.sharedDatabase, stateSerialization: nil, delegate: delegate), schedule: schedule)
        for await name in delegate.fetched where name == "two" { break }
        #expect(failures.withLock(\.self) == 1)
        await engine.cancelOperations()
    }
}

/// A delegate that reports the names of fetched records, and runs a closure after the first fetch.
private final class Recorder: SyncEngineDelegate {
    let fetched: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let afterFetch: @Sendable () -> Void
    private let hasFetched = Mutex(false)

    init(afterFetch: @escaping @Sendable () -> Void) {
        self.afterFetch = afterFetch
        (fetched, continuation) = AsyncStream.makeStream()
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { continuation.yield(change.record.recordID.recordName) }
        case .didFetchChanges:
            let isFirst = hasFetched.withLock { hasFetched in
                defer { hasFetched = true }
                return !hasFetched
            }
            if isFirst { afterFetch() }
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}
