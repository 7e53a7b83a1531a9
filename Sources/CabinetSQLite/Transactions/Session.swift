import Cabinet
import Dispatch
import Synchronization

/// The use of a connection by one transaction: it ends with the transaction, even if a snapshot is still held.
// Unchecked, and safe: the connection is reached only under the lock, and everything reached through it with it.
final class Session: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private var connection: Connection?
    private var failedChange: (any Error)?
    /// Where reads may take long; `nil` if the transaction runs there anyway.
    private let executor: BlockingExecutor?
    /// Until when reads run on the caller's thread, in nanoseconds of uptime.
    private let briefEnd: UInt64

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - connection: The connection, whose transaction has begun.
    ///   - executor: Where reads may take long; `nil` if the transaction runs there anyway.
    ///   - briefEnd: Until when reads run on the caller's thread, in nanoseconds of uptime.
    init(_ connection: Connection, executor: BlockingExecutor? = nil, briefUntil briefEnd: UInt64 = 0) {
        self.connection = connection
        self.executor = executor
        self.briefEnd = briefEnd
    }

    /// Reads: on the caller's thread while that is short, and otherwise on the executor.
    ///
    /// - Parameters:
    ///   - isLong: Whether the read takes long, as far as the request tells.
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
            guard let connection else { throw Self.isOver }
            return try connection.runBriefly(until: briefEnd) { try body(connection) }
        }
        return output ?? nil
    }

    /// Uses the connection, which nobody else uses meanwhile.
    func use<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw Self.isOver }
            return try body(connection)
        }
    }

    /// Changes something.
    ///
    /// When that fails, half of it may be done: the transaction then cannot succeed any more.
    func change<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw Self.isOver }
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
    /// - Returns: What made the transaction fail, if something did.
    func end() -> (any Error)? {
        lock.withLock { _ in
            connection = nil
            return failedChange
        }
    }

    private static var isOver: CabinetError {
        CabinetError(
            .internalError, "The transaction is over. Use a snapshot or transaction only in the closure that got it.")
    }
}
