import Cabinet
import Foundation
import Synchronization

/// Runs one part of a mirror whenever it is woken, and again after failures, with waits in between.
///
/// Its task waits for a stream, and does nothing until it is woken.
final class MirrorLoop: Sendable {
    private let schedule: MirrorSchedule
    private let state: MirrorState
    private let isFetch: Bool
    private let body: @Sendable () async throws -> Void
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let wait = Mutex(Wait())

    /// The wait after a failure.
    private struct Wait {
        /// The end; `nil` if the loop does not wait.
        var end: Date?
        /// Whether a new connection may end it.
        var isForConnection = false
        /// The number of the failure, by which the timer of an earlier one is recognized.
        var number = 0
    }

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - schedule: The clock.
    ///   - state: The state that has the wait.
    ///   - isFetch: Whether the work is a fetch.
    ///   - body: The work, which ends when nothing is left to do.
    init(
        _ schedule: MirrorSchedule, _ state: MirrorState, isFetch: Bool,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        (self.schedule, self.state, self.isFetch, self.body) = (schedule, state, isFetch, body)
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the loop.
    ///
    /// - Parameter isUrgent: Whether a retry may succeed now, so that the wait after the last failure ends.
    func wake(isUrgent: Bool = false) {
        if isUrgent { wait.withLock { $0.end = nil } }
        continuation.yield()
    }

    /// Wakes the loop after a signal of the server.
    ///
    /// A signal also follows each new connection, so it ends the wait after a failure of the network. A refusal is not asked for again
    /// before its time.
    func wakeBySignal() {
        wait.withLock { if $0.isForConnection { $0.end = nil } }
        continuation.yield()
    }

    /// Runs until the loop is stopped or its task is cancelled.
    func run() async {
        var failures = 0
        for await _ in wakes {
            let rest = wait.withLock(\.end).map { $0.timeIntervalSince(schedule.now()) } ?? 0
            // The timer of the wait wakes the loop again.
            if rest > 0 { continue }
            do {
                wait.withLock { $0.end = nil }
                state.begins(ObjectIdentifier(self), isFetch: isFetch)
                try await body()
                state.ends(ObjectIdentifier(self), waiting: nil)
                failures = 0
            } catch {
                if Task.isCancelled { return }
                failures += 1
                let error = CabinetError.wrapping(error)
                let seconds = schedule.wait(after: error, failures: failures)
                let date = schedule.now().addingTimeInterval(seconds)
                let number = wait.withLock { wait in
                    wait = Wait(end: date, isForConnection: error.isOfConnection, number: wait.number + 1)
                    return wait.number
                }
                state.ends(ObjectIdentifier(self), waiting: (date, error))
                schedule.wake(after: seconds) { [weak self] in self?.wake(afterFailure: number) }
            }
        }
    }

    /// Ends the wait after a failure, unless there was another one since, which has a timer of its own.
    private func wake(afterFailure number: Int) {
        if wait.withLock({ $0.number == number }) { wake(isUrgent: true) }
    }

    /// Ends ``run()``.
    func stop() { continuation.finish() }
}

/// The times at which a mirror works by itself.
struct MirrorSchedule: Sendable {
    let now: @Sendable () -> Date
    var sleep: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// Returns a number from 0 to 1, by which the waits of many clients differ.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// Returns the wait before another attempt: the server's wish, or 1, 2, 4 seconds and so on, less a random part of up to half.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - failures: The number of failures without a success in between, this one included.
    func wait(after error: CabinetError, failures: Int) -> TimeInterval {
        let own = RetryRule.wait(failures: failures) * (0.5 + jitter() / 2)
        return error.retryAfterSeconds.map { max($0, 0) + own * 0.1 } ?? own
    }

    /// Calls a closure after a wait.
    func wake(after seconds: TimeInterval, _ body: @escaping @Sendable () -> Void) {
        Task {
            try? await sleep(seconds)
            body()
        }
    }
}

extension CabinetError {
    /// Whether no answer of the server was read, and the server has no wish when to try again.
    fileprivate var isOfConnection: Bool {
        let codes: [Code] = [.networkFailure, .networkUnavailable, .serverResponseLost, .serviceUnavailable]
        return codes.contains(code) && retryAfterSeconds == nil
    }
}
