import Synchronization

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
    private struct State {
        var isLocked = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// - Returns: Whether the lock was free, and is now held by the caller.
        mutating func lock() -> Bool {
            defer { isLocked = true }
            return !isLocked
        }
    }

    private let state = Mutex(State())

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
        await lock(isolation: isolation)
        defer { unlock() }
        return try await body()
    }

    /// The number of tasks that wait for the lock.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    private func lock(isolation: isolated (any Actor)?) async {
        if state.withLock({ $0.lock() }) { return }
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isFree = state.withLock { state in
                if state.lock() { return true }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func unlock() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiters.isEmpty {
                state.isLocked = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
