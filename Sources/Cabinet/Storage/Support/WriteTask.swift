import Synchronization

/// A write that a backend may commit together with other waiting writes.
package final class WriteTask<Transaction: Sendable>: Sendable {
    private struct State {
        var hasBegun = false
        var hasEnded = false
        /// The error with which the task ends as soon as it pauses.
        var failure: CabinetError?
    }

    private let body: @Sendable (Transaction) async throws -> Void
    private let state = Mutex(State())
    private let outcome = Promise<Void>()

    private init(_ body: @escaping @Sendable (Transaction) async throws -> Void) {
        self.body = body
    }

    /// Schedules a closure as a write, and waits until its changes are durable.
    ///
    /// Cancelling the caller's task cancels the write, unless it has begun.
    ///
    /// - Parameters:
    ///   - body: The closure, which may run more than once; only its last run counts.
    ///   - schedule: Passes the task to the scheduler, which begins and finishes it.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and the error with which the scheduler finished the task.
    package static func run<Output: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> Output,
        scheduledBy schedule: (WriteTask) async -> Void
    ) async throws -> Output {
        let output = OutputBox<Output>()
        let task = WriteTask { transaction in
            let value = try await body(transaction)
            output.value.withLock { $0 = value }
        }
        try await withTaskCancellationHandler {
            await schedule(task)
            try await task.outcome.value()
        } onCancel: {
            task.cancel(
                CabinetError(.operationCancelled, "The task was cancelled before its write began. Nothing has changed.")
            )
        }
        guard let value = output.value.withLock({ $0 }) else {
            throw CabinetError(.internalError, "The write was finished before it was run.")
        }
        return value
    }

    /// Begins the task, which cannot be cancelled again until it pauses.
    ///
    /// - Returns: Whether to run the task; `false` if it was cancelled.
    package func begin() -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.hasBegun = true }
            return !state.hasEnded
        }
    }

    /// Marks the task as rolled back and waiting to run again; a task that was cancelled since it began ends.
    package func pause() {
        end { state in
            state.hasBegun = false
            return state.failure.map { .failure($0) }
        }
    }

    /// Runs the body, and stores its result until the task is finished.
    ///
    /// - Returns: The error of the body, or `nil`.
    package func run(in transaction: Transaction) async -> (any Error)? {
        do {
            try await body(transaction)
            return nil
        } catch {
            return error
        }
    }

    /// Ends the task with an error, at once if it has not begun, and otherwise when it pauses.
    package func cancel(_ error: CabinetError) {
        end { state in
            state.failure = state.failure ?? error
            return state.hasBegun ? nil : .failure(error)
        }
    }

    /// Ends the task: its caller continues with the result of the body, or with an error.
    package func finish(_ error: (any Error)?) {
        end { _ in error.map { .failure($0) } ?? .success(()) }
    }

    /// Ends the task, unless it has ended or the result is `nil`.
    private func end(_ makeResult: (inout State) -> Result<Void, any Error>?) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            guard !state.hasEnded, let result = makeResult(&state) else { return nil }
            state.hasEnded = true
            return result
        }
        if let result { outcome.resolve(result) }
    }
}

/// The result of the last run of a write.
private final class OutputBox<Output: Sendable>: Sendable {
    let value = Mutex<Output?>(nil)
}
