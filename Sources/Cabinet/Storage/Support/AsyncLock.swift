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
        var isTaken = false
        /// The waiting tasks in the order of their calls.
        var waiters: [Promise<Void>] = []
    }

    private let state = Mutex(State())

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
        // The promise is never resolved with an error.
        try? await turn()?.value(isolation: isolation)
        defer { giveBack() }
        return try await body()
    }

    /// Runs a closure while it holds the lock, unless the task is cancelled while it waits.
    ///
    /// A task that is cancelled after it has got the lock runs the closure.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closure runs on, the caller's by default.
    ///   - body: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: ``CabinetError/Code/operationCancelled``, and the error of the closure.
    package func withLockUnlessCancelled<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        if let turn = turn() {
            try await withTaskCancellationHandler {
                try await turn.value(isolation: isolation)
            } onCancel: {
                leave(turn)
            }
        }
        defer { giveBack() }
        return try await body()
    }

    /// Runs a closure while it holds the lock, unless the lock is taken.
    ///
    /// - Parameter body: The closure to run.
    package func withLockIfFree(_ body: () -> Void) {
        let isTaken = state.withLock { state in
            defer { state.isTaken = true }
            return state.isTaken
        }
        if isTaken { return }
        defer { giveBack() }
        body()
    }

    /// The number of tasks that wait for the lock.
    var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Takes the lock.
    ///
    /// - Returns: The promise to wait for; `nil` if the lock was free.
    private func turn() -> Promise<Void>? {
        state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let turn = Promise<Void>()
            state.waiters.append(turn)
            return turn
        }
    }

    /// Ends a wait that has not got the lock.
    private func leave(_ turn: Promise<Void>) {
        let isWaiting = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === turn }) else { return false }
            state.waiters.remove(at: index)
            return true
        }
        if isWaiting { turn.resolve(.failure(WorkMeter.cancellation)) }
    }

    /// Returns the lock, to the task that has waited longest.
    private func giveBack() {
        let next = state.withLock { state -> Promise<Void>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resolve(.success(()))
    }
}
