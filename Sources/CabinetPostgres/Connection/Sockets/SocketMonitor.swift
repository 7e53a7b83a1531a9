import Cabinet
import Foundation
import Synchronization

/// Waits for the sockets of all connections of the process, on one thread.
///
/// A waiting task occupies no thread. The thread starts with the first wait, and ends after some seconds without one.
final class SocketMonitor: Sendable {
    /// The reason that a wait has ended.
    enum Event: Sendable {
        /// The socket can be read, or written if that was asked for, or its connection broke.
        case ready
        case timedOut
        /// The waiting task was cancelled.
        case cancelled
    }

    private struct Waiter {
        let promise: Promise<Event>
        let deadline: ContinuousClock.Instant?
    }

    private struct State {
        var waiters: [Int32: Waiter] = [:]
        var isRunning = false
        /// The time at which the thread wakes without an event.
        var wakeTime: ContinuousClock.Instant?
    }

    static let shared = SocketMonitor()

    private let state = Mutex(State())
    private let poller = SocketPoller()

    /// The time that the thread waits for work before it ends.
    private static let idleLimit = Duration.seconds(5)

    /// Waits until a socket can be read.
    ///
    /// - Parameters:
    ///   - descriptor: The socket, which no other task waits for.
    ///   - toWrite: Whether to wait until it can be read or written.
    ///   - deadline: The time limit.
    ///   - endsWithTask: Whether the wait ends when the task is cancelled.
    func wait(
        for descriptor: Int32, toWrite: Bool = false, until deadline: ContinuousClock.Instant? = nil,
        endsWithTask: Bool = true
    ) async -> Event {
        let promise = Promise<Event>()
        if !endsWithTask {
            add(Waiter(promise: promise, deadline: deadline), descriptor, toWrite)
            // The promise is never resolved with an error.
            return (try? await promise.value()) ?? .cancelled
        }
        return await withTaskCancellationHandler {
            add(Waiter(promise: promise, deadline: deadline), descriptor, toWrite)
            // The promise is never resolved with an error.
            let event = (try? await promise.value()) ?? .cancelled
            if event == .cancelled { remove(promise, descriptor) }
            return event
        } onCancel: {
            promise.resolve(.success(.cancelled))
        }
    }

    private func add(_ waiter: Waiter, _ descriptor: Int32, _ toWrite: Bool) {
        let (mustStart, mustWake) = state.withLock { state in
            state.waiters[descriptor] = waiter
            let isLate = waiter.deadline.map { deadline in state.wakeTime.map { deadline < $0 } ?? true } ?? false
            defer { state.isRunning = true }
            return (!state.isRunning, isLate)
        }
        guard poller.arm(descriptor, toWrite: toWrite) else {
            // Using the connection reports what is wrong with the socket.
            end(descriptor)
            return
        }
        if mustStart {
            // Until the system has a thread, the tasks wait.
            SystemThread.startEventually("Cabinet sockets") { self.run() }
        } else if mustWake {
            poller.wake()
        }
    }

    private func remove(_ promise: Promise<Event>, _ descriptor: Int32) {
        state.withLock { state in
            if state.waiters[descriptor]?.promise === promise { state.waiters[descriptor] = nil }
        }
    }

    private func end(_ descriptor: Int32) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: descriptor) }
        waiter?.promise.resolve(.success(.ready))
    }

    private func run() {
        var idleSince = ContinuousClock.now
        while let limit = nextLimit(&idleSince) {
            for descriptor in poller.wait(atMost: limit) { end(descriptor) }
            let now = ContinuousClock.now
            let late = state.withLock { state in
                let late = state.waiters.filter { $0.value.deadline.map { $0 <= now } ?? false }
                for descriptor in late.keys { state.waiters[descriptor] = nil }
                return late.values
            }
            for waiter in late { waiter.promise.resolve(.success(.timedOut)) }
        }
    }

    /// Returns the time limit of the next wait, `.some(nil)` for none; `nil` if the thread ends.
    private func nextLimit(_ idleSince: inout ContinuousClock.Instant) -> Duration?? {
        let now = ContinuousClock.now
        return state.withLock { state -> Duration?? in
            if state.waiters.isEmpty {
                if now - idleSince >= Self.idleLimit {
                    state.isRunning = false
                    return nil
                }
                state.wakeTime = idleSince + Self.idleLimit
            } else {
                idleSince = now
                state.wakeTime = state.waiters.values.lazy.compactMap(\.deadline).min()
            }
            return .some(state.wakeTime.map { max($0 - now, .zero) })
        }
    }
}
