import Cabinet
import CabinetTesting
import Foundation
import Synchronization

/// The server of the simulation: a process that may be killed at a transaction, and starts again with what it has stored.
final class SimulatedServer: WrappingService {
    private let store = KilledStore(base: MemoryBackend())
    private let create: @Sendable (any StorageBackend) throws -> LocalDatabaseService
    private let process: Mutex<LocalDatabaseService>

    init(retention: ChangeRetention, now: @escaping @Sendable () -> Date) throws {
        create = { store in
            try LocalDatabaseService(
                backend: store, limits: Limits(bytesPerRecord: 2_000), changeRetention: retention, now: now)
        }
        process = Mutex(try create(store))
    }

    var base: any DatabaseService { process.withLock { $0 } }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await base.perform(request, for: caller)
    }

    /// Kills the process at its next transaction.
    ///
    /// - Parameter isCommitted: Whether the transaction is committed.
    func kill(atNextWrite isCommitted: Bool) { store.isCommitted.withLock { $0 = isCommitted } }

    /// Starts another process.
    func restart() throws {
        store.isCommitted.withLock { $0 = nil }
        let next = try create(store)
        process.withLock { $0 = next }
    }

    func close() async {}
}

/// The store of the server, whose process may be killed before or after a transaction is committed.
private final class KilledStore: WrappingBackend {
    let base: any StorageBackend
    /// Whether the transaction is committed at which the process is killed; `nil` while it lives.
    let isCommitted = Mutex<Bool?>(nil)

    init(base: any StorageBackend) {
        self.base = base
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        guard let isCommitted = isCommitted.withLock({ $0 }) else { return try await base.write(database, body) }
        if isCommitted { _ = try await base.write(database, body) }
        // A process that was killed does nothing more.
        self.isCommitted.withLock { $0 = false }
        throw CabinetError(.networkFailure, "The server was killed.")
    }
}
