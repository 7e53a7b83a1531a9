import Synchronization

/// A result that arrives once, and the task that waits for it.
///
/// The core stores continuations of tasks in this type only, so that it handles early, late and repeated results in one file.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Value, any Error>)
        case resolved(Result<Value, any Error>)
    }

    private let state = Mutex(State.pending)

    /// Creates a promise without a result.
    package init() {}

    /// Sets the result, and resumes the task that waits for it.
    ///
    /// - Parameter result: The result; it is ignored if the promise has one.
    package func resolve(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .pending:
                state = .resolved(result)
                return nil
            case .awaited(let continuation):
                state = .resolved(result)
                return continuation
            case .resolved:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Whether the result has arrived.
    package var isResolved: Bool {
        state.withLock { if case .resolved = $0 { true } else { false } }
    }

    /// Waits for the result; at most one task may do so.
    ///
    /// Cancelling the task does not end the wait; the owner of the promise resolves it.
    ///
    /// - Parameter isolation: The actor that the caller runs on.
    /// - Returns: The value.
    /// - Throws: The error of a failed result.
    package func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
            let result: Result<Value, any Error>? = state.withLock { state in
                if case .resolved(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
