/// A lock that tasks hold across suspensions, and wait for without blocking a thread.
///
/// It lets one writer of a store run at a time:
///
/// ```swift
/// try await writers.withLock {
///     let result = try await body(transaction)
///     try await commit(transaction)
///     return result
/// }
/// ```
public final class AsyncLock: Sendable {
    private let permits = ResourcePool(permits: 1)

    /// Creates a lock that is free.
    public init() {}

    /// Runs a closure while it holds the lock.
    ///
    /// Tasks get the lock in the order of their calls. Cancelling a task does not end its wait: the closure runs, and can check
    /// for the cancellation. A closure that calls this method of the same lock deadlocks.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closure runs on, the caller's by default.
    ///   - body: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func withLock<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        // The pool is never closed and the wait never cancelled, so neither fails.
        if case .later(let waiter)? = try? permits.turn() { try? await waiter.value(isolation: isolation) }
        defer { permits.giveBack(()) }
        return try await body()
    }

    /// The number of tasks that wait for the lock.
    var waiterCount: Int { permits.waiterCount }
}
