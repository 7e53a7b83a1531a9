import Cabinet
import Foundation
import Synchronization
import Testing

// snippet: users
/// Returns a user's container; all of them share one service.
func container(
    of user: String, service: LocalDatabaseService
) throws -> Container {
    try Container(
        identifier: "com.example.notes", service: service,
        account: Account(userRecordName: user))
}
// end

// snippet: wrapper
/// Counts the requests of each user, and refuses changes of guests.
final class Meter: DatabaseService {
    let base: any DatabaseService
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any DatabaseService) { self.base = base }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let user = caller.account?.userRecordName ?? "guest"
        counts.withLock { $0[user, default: 0] += 1 }
        if user == "guest", Request.effect != .none {
            throw CabinetError(.permissionFailure, "Sign in to change notes.")
        }
        return try await base.perform(request, for: caller)
    }

    func count(of user: String) -> Int {
        counts.withLock { $0[user, default: 0] }
    }
    // end
    // snippet: rest
    func send(
        _ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller
    ) async throws {
        try await base.send(bytes, to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>,
        scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(
            of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(
        of scopes: [DatabaseScope], for caller: Caller
    ) throws -> AsyncStream<Void> {
        try base.signals(of: scopes, for: caller)
    }

    func close() async { await base.close() }
}
// end

@Suite("The article about services: its programs run")
struct Services {
    @Test func users() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let ann = try container(of: "_ann", service: service)
        let ben = try container(of: "_ben", service: service)
        try await ann.publicDatabase.save(Record(recordType: "Notes", recordID: "n"))
        #expect(try await ben.publicDatabase.record(for: "n").creatorUserRecordID?.recordName == "_ann")
        #expect(try await ben.privateDatabase.count(matching: Query(recordType: "Notes")) == 0)
        await ann.close()
        #expect(try await ben.publicDatabase.count(matching: Query(recordType: "Notes")) == 1)
        await service.close()
        await #expect(throws: CabinetError.self) { try await ben.publicDatabase.record(for: "n") }
    }

    @Test func wrapper() async throws {
        // snippet: use
        let meter = Meter(try LocalDatabaseService(backend: MemoryBackend()))
        let container = try Container(
            identifier: "com.example.notes", service: meter,
            account: Account(userRecordName: "_ann"))
        try await container.privateDatabase.save(Record(recordType: "Notes"))
        print(meter.count(of: "_ann"))  // 1
        // end
        #expect(meter.count(of: "_ann") == 1)
        let guest = try Container(identifier: "com.example.notes", service: meter, account: nil)
        let error = await #expect(throws: CabinetError.self) {
            try await guest.publicDatabase.save(Record(recordType: "Notes"))
        }
        #expect(error?.code == .permissionFailure)
    }
}
