package import Cabinet
import Synchronization

/// A service that counts the requests which it passes on.
package final class CountingService: WrappingService {
    package let base: any DatabaseService
    private let requests = Mutex<[String]>([])

    package init(_ base: any DatabaseService) {
        self.base = base
    }

    /// Returns the names of the requests in their order, and begins again.
    package func takeNames() -> [String] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    /// Returns the counts by the names of the requests, and begins again.
    package func take() -> [String: Int] {
        takeNames().reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Returns the number of requests of a type so far.
    package func count<Request: ServiceRequest>(of _: Request.Type) -> Int {
        requests.withLock { requests in requests.count { $0 == Request.name } }
    }

    package func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        requests.withLock { $0.append(Request.name) }
        return try await base.perform(request, for: caller)
    }
}
