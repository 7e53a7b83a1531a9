import Cabinet
import Dispatch
import SQLSupport
import Synchronization

/// The use of a connection by one transaction, which ends with it even if a snapshot is retained.
// Unchecked, and safe: the connection, and everything reached through it, is used only under the lock.
final class Session: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private var connection: Connection?
    private var failedChange: (any Error)?
    /// The executor for long reads; `nil` if the transaction already runs on it.
    private let executor: BlockingExecutor?
    /// The deadline for reads on the caller's thread, in nanoseconds of uptime.
    private let briefEnd: UInt64

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - connection: The connection, with an active transaction.
    ///   - executor: The executor for long reads; `nil` if the transaction already runs on it.
    ///   - briefEnd: The deadline for reads on the caller's thread, in nanoseconds of uptime.
    init(_ connection: Connection, executor: BlockingExecutor? = nil, briefUntil briefEnd: UInt64 = 0) {
        self.connection = connection
        self.executor = executor
        self.briefEnd = briefEnd
    }

    /// Reads on the caller's thread, or on the executor if that takes long.
    ///
    /// - Parameters:
    ///   - isLong: Whether the request is known to take long.
    ///   - body: Reads from the connection. It may run twice.
    func read<Output: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output {
        guard let executor, !executor.isCurrent else { return try use(body) }
        if !isLong, let output = try useBriefly(body) { return output }
        return try await withTaskExecutorPreference(executor) { try self.use(body) }
    }

    private func useBriefly<Output: Sendable>(_ body: @Sendable (Connection) throws -> Output) throws -> Output? {
        if DispatchTime.now().uptimeNanoseconds >= briefEnd { return nil }
        let output = try lock.withLockIfAvailable { _ in
            guard let connection else { throw CabinetError.transactionIsOver }
            return try connection.runBriefly(until: briefEnd) { try body(connection) }
        }
        return output ?? nil
    }

    /// Uses the connection exclusively.
    func use<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw CabinetError.transactionIsOver }
            return try body(connection)
        }
    }

    /// Changes the file.
    ///
    /// A failed change may be incomplete, so the transaction cannot be committed after it.
    func change<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw CabinetError.transactionIsOver }
            if let failedChange { throw failedChange }
            do {
                return try body(connection)
            } catch {
                failedChange = error
                throw error
            }
        }
    }

    /// Ends the use of the connection.
    ///
    /// - Returns: The error of the first failed change, if any.
    func end() -> (any Error)? {
        lock.withLock { _ in
            connection = nil
            return failedChange
        }
    }
}
