import Foundation
import Synchronization

/// Streams of signals, each with a task that ends with the service.
final class SignalTasks: Sendable {
    private struct State {
        var isClosed = false
        var tasks: [UUID: Task<Void, Never>] = [:]
    }

    /// The end of one connection.
    enum Ending {
        /// The service was closed, after which nothing follows.
        case closed
        /// The server has refused the request.
        case refused
        /// The connection broke, or none was made; another one follows.
        case broken
    }

    private let state = Mutex(State())

    func close() {
        let tasks = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
    }

    /// Returns the signals that a function reports, with one at the beginning; a stream that ends at once if the service is closed.
    ///
    /// - Parameter follow: Reads signals until a failure, after which it is called again with growing delays.
    func stream(
        _ follow: @escaping @Sendable (_ onSignal: @escaping @Sendable () -> Void) async -> Ending
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { state in
            if state.isClosed { return continuation.finish() }
            continuation.yield()
            let task = Task { [weak self] in
                let delay = Mutex(0.1)
                while !Task.isCancelled {
                    let ending = await follow {
                        delay.withLock { $0 = 0.1 }
                        continuation.yield()
                    }
                    if ending == .closed { break }
                    // The next read of the observer reports why.
                    if ending == .refused { continuation.yield() }
                    let seconds = delay.withLock { delay in
                        defer { delay = min(delay * 2, 5) }
                        return Double.random(in: delay / 2...delay)
                    }
                    try? await Task.sleep(for: .seconds(seconds))
                }
                continuation.finish()
                self?.remove(id)
            }
            state.tasks[id] = task
            continuation.onTermination = { _ in task.cancel() }
        }
        return stream
    }

    private func remove(_ id: UUID) {
        state.withLock { $0.tasks[id] = nil }
    }
}
