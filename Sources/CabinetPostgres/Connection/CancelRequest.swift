import CPostgreSQL
import Cabinet
import Synchronization

/// A request to the server to stop the statements of a connection, whose answer then is an error.
///
/// It goes over a connection of its own. It cannot hit a statement that is sent after ``finish()``.
final class CancelRequest: Sendable {
    private enum State {
        case pending
        case sent
        case finished
    }

    private let state = Mutex(State.pending)
    /// The executor for the request, which does not wait until one of Swift's cooperative threads is free.
    private let executor = BlockingExecutor(label: "Cabinet PostgreSQL cancellation")
    // Safe: libpq only reads what it points to.
    nonisolated(unsafe) private let target: OpaquePointer?

    /// Creates a request, which is not sent yet.
    init(to connection: OpaquePointer) {
        target = PQgetCancel(connection)
    }

    deinit {
        PQfreeCancel(target)
    }

    /// Sends the request on another thread, unless it was sent before or has finished.
    func send() {
        Task.detached(executorPreference: executor) { [self] in
            state.withLock { state in
                guard state == .pending else { return }
                var message = [CChar](repeating: 0, count: 256)
                // If this fails, the statements run to their end.
                _ = PQcancel(target, &message, Int32(message.count))
                state = .sent
            }
        }
    }

    /// Waits for a request that is being sent, and prevents a later one.
    ///
    /// - Returns: Whether the request was sent.
    func finish() -> Bool {
        state.withLock { state in
            if state == .pending { state = .finished }
            return state == .sent
        }
    }
}
