import Synchronization

/// Work for several callers, which is cancelled when the last of them is.
package final class SharedTask<Output: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var result: Result<Output, any Error>?
        var isCancelled = false
        /// The callers that wait for the result.
        var waiters: [Promise<Output>] = []

        /// Sets the result, unless there is one.
        ///
        /// - Returns: The callers to resume.
        mutating func end(with result: Result<Output, any Error>) -> [Promise<Output>] {
            if self.result != nil { return [] }
            self.result = result
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    /// Starts the work.
    package init(_ work: @escaping @Sendable () async throws -> Output) {
        let task = Task { [weak self] in
            let result: Result<Output, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            self?.end(with: result)
        }
        state.withLock { $0.task = task }
    }

    /// Whether there is no result.
    package var isPending: Bool { state.withLock { $0.result == nil } }

    /// Whether the work was cancelled, so that a new caller has to start it again.
    package var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// The number of callers that wait for the result.
    var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Waits for the result.
    ///
    /// A caller that is cancelled leaves. The last one cancels the work.
    ///
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, and ``CabinetError/Code/operationCancelled`` if the caller or the work is cancelled.
    package func value() async throws -> Output {
        let waiter = Promise<Output>()
        let result = state.withLock { state in
            if state.result == nil { state.waiters.append(waiter) }
            return state.result
        }
        if let result { return try result.get() }
        return try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            leave(waiter)
        }
    }

    /// Cancels the work, for all callers.
    package func cancel() { cancel { _ in true } }

    private func leave(_ waiter: Promise<Output>) {
        waiter.resolve(.failure(WorkMeter.cancellation))
        cancel { state in
            state.waiters.removeAll { $0 === waiter }
            return state.waiters.isEmpty
        }
    }

    /// Cancels the work if a condition holds and it has no result.
    ///
    /// A caller that arrives in between is resumed too, and finds the work cancelled.
    private func cancel(if condition: (inout State) -> Bool) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard condition(&state), state.result == nil else { return nil }
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        task.cancel()
        end(with: .failure(WorkMeter.cancellation))
    }

    private func end(with result: Result<Output, any Error>) {
        for waiter in state.withLock({ $0.end(with: result) }) { waiter.resolve(result) }
    }
}
