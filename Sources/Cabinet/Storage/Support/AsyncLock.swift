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

    /// Runs a closure while no other one runs under this lock.
    ///
    /// Tasks get the lock in the order in which they ask for it. Waiting does not end when a task is cancelled: the closure runs, and
    /// finds the task cancelled. A closure that waits for the same lock waits forever.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closure runs on, the caller's by default.
    ///   - body: What to do.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
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
