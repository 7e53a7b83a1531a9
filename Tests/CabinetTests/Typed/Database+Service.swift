import CabinetTesting
import Synchronization

@testable import Cabinet

/// A service that counts the requests which it passes on.
final class CountingService: WrappingService {
    let base: any DatabaseService
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any DatabaseService) {
        self.base = base
    }

    var fetches: Int { counts.withLock { $0[FetchRecordsRequest.name, default: 0] } }
    var queries: Int { counts.withLock { $0[QueryRecordsRequest.name, default: 0] } }

    /// Returns the counts by the names of the requests, and begins again.
    func take() -> [String: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        counts.withLock { $0[Request.name, default: 0] += 1 }
        return try await base.perform(request, for: caller)
    }
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
