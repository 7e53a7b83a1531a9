import Foundation
import Synchronization

@testable import Cabinet

/// A service that counts the requests which it passes on.
final class CountingService: DatabaseService {
    private let base: any DatabaseService
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any DatabaseService) {
        self.base = base
    }

    var fetches: Int { counts.withLock { $0[FetchRecordsRequest.name, default: 0] } }
    var queries: Int { counts.withLock { $0[QueryRecordsRequest.name, default: 0] } }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        counts.withLock { $0[Request.name, default: 0] += 1 }
        return try await base.perform(request, for: caller)
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try await base.send(bytes, to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        try base.signals(of: scopes, for: caller)
    }

    func close() async { await base.close() }
}

extension Database {
    /// The same database over another service.
    func over(_ service: any DatabaseService) -> Database {
        Database(
            databaseScope: databaseScope, zoneID: zoneID,
            client: ServiceClient(
                containerIdentifier: client.containerIdentifier, service: service, caller: client.caller))
    }
}
