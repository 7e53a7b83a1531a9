import CabinetTesting
import Synchronization
import Testing

@testable import Cabinet

/// A backend that cancels its caller directly after a commit to a private database.
private final class CancellingStore: WrappingBackend {
    let base: any StorageBackend = MemoryBackend()
    let cancelsNext = Atomic(false)

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let result = try await base.write(database, body)
        if case .private = database, cancelsNext.exchange(false, ordering: .relaxed) {
            withUnsafeCurrentTask { $0?.cancel() }
        }
        return result
    }
}

@Suite("A request that is cancelled after its commit returns its result")
struct CommittedRequestTests {
    private let backend = CancellingStore()
    private let service: LocalDatabaseService

    init() throws {
        service = try LocalDatabaseService(backend: backend)
    }

    /// Runs a request in a task that is cancelled after the first commit.
    private func cancelling<Output: Sendable>(
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        backend.cancelsNext.store(true, ordering: .relaxed)
        return try await Task { try await body() }.value
    }

    @Test("A save that asks for a part of a URL")
    func shortGUID() async throws {
        let anna = try SharedZone.container(of: "_anna", service)
        try await anna.privateDatabase.save(RecordZone(zoneID: SharedZone.zoneID))
        var request = ModifyRecordsRequest(in: .private)
        request.recordsToSave = [Record(recordType: "Items", recordID: SharedZone.own("milk"))]
        request.shortGUIDRecordIDs = [SharedZone.own("milk")]
        let response = try await cancelling { [request, service] in
            try await service.perform(request, for: anna.caller)
        }
        #expect(response.saveResults.count == 1 && response.shortGUIDs.count == 1)
    }

    @Test("A user that leaves a share")
    func leaving() async throws {
        let (anna, cleo) = (
            try SharedZone.container(of: "_anna", service), try SharedZone.container(of: "_cleo", service)
        )
        try await SharedZone.share(anna, with: cleo, .readWrite)
        try await cancelling {
            _ = try await cleo.sharedDatabase.deleteRecord(
                withID: SharedZone.shared(Share.zoneWideRecordName, of: "_anna"))
        }
        let marks = try await backend.read(.shared(owner: "_cleo")) { try await $0.sharedZones().map(\.isLeft) }
        #expect(marks == [true])
    }

    @Test("A batch in the zones of two owners, where the second part fails")
    func owners() async throws {
        let cleo = try SharedZone.container(of: "_cleo", service)
        let ids = ["_anna", "_dora"].map { SharedZone.shared("milk", of: $0) }
        for id in ids {
            let owner = try SharedZone.container(of: id.zoneID.ownerName, service)
            try await SharedZone.share(owner, with: cleo, .readWrite)
        }
        let results = try await cancelling {
            try await cleo.sharedDatabase.modifyRecords(
                saving: ids.map { Record(recordType: "Items", recordID: $0) }, deleting: [], atomically: false
            ).saveResults
        }
        #expect(try results[ids[0]]?.get().recordID == ids[0])
        let error = #expect(throws: CabinetError.self) { try results[ids[1]]?.get() }
        #expect(error?.code == .operationCancelled && error?.recordID == ids[1])
    }
}
