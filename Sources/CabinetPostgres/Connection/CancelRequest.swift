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
    ///
    /// A request that arrives before the server has begun the statement has no effect. So it is sent again, at most 20 times, until
    /// it has finished.
    ///
    /// - Parameter isRepeated: Whether ``finish()`` will be called, up to which the request is sent again.
    func send(isRepeated: Bool = true) {
        Task.detached(executorPreference: executor) { [self] in
            guard sendNow(after: .pending), isRepeated else { return }
            var pause = Duration.milliseconds(100)
            for _ in 0..<20 {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
                guard sendNow(after: .sent) else { return }
            }
        }
    }

    private func sendNow(after expected: State) -> Bool {
        state.withLock { state in
            guard state == expected else { return false }
            var message = [CChar](repeating: 0, count: 256)
            // If this fails, the next one may succeed.
            _ = PQcancel(target, &message, Int32(message.count))
            state = .sent
            return true
        }
    }

    /// Waits for a request that is being sent, and prevents a later one.
    ///
    /// - Returns: Whether the request was sent.
    func finish() -> Bool {
        state.withLock { state in
            defer { state = .finished }
            return state == .sent
        }
    }
}
