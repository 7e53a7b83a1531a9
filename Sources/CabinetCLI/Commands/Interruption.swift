import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// Ctrl-C and SIGTERM: the first cancels the command, which ends between two requests; the second ends the process.
final class Interruption: Sendable {
    static let shared = Interruption()

    private struct State: Sendable {
        var count = 0
        /// Cancels the running command.
        var cancel: (@Sendable () -> Void)?
        /// Whether the command ends by itself soon, however long its current request takes.
        var isAwaited = false
        /// Whether the command handles SIGTERM itself.
        var handlesTermination = false
        /// Whether SIGTERM has arrived, which ends the process and not just the command.
        var isTerminated = false
    }

    private let state = Mutex(State())

    /// Calls a closure at the first signal.
    ///
    /// - Returns: The sources of the signals, which must be kept.
    func observe(_ cancel: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        state.withLock { $0.cancel = cancel }
        let queue = DispatchQueue(label: "com.example.cabinet.interruption")
        return [SIGINT, SIGTERM].map { number in
            #if canImport(Darwin)
            // On Linux the source has a handler of its own. Until then, the signal ends the process.
            signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in receive(number, on: queue) }
            source.activate()
            return source
        }
    }

    private func receive(_ number: Int32, on queue: DispatchQueue) {
        let current: State? = state.withLock { state in
            if number == SIGTERM {
                if state.handlesTermination { return nil }
                state.isTerminated = true
            }
            state.count += 1
            return state
        }
        guard let current else { return }
        if current.count > 1 { exit(ExitCode.interrupted.rawValue) }
        current.cancel?()
        if current.isAwaited { return }
        // A command that waits for input or for a server does not notice the cancellation.
        queue.asyncAfter(deadline: .now() + 2) { [self] in
            if state.withLock({ $0.count > 0 && !$0.isAwaited }) { exit(ExitCode.interrupted.rawValue) }
        }
    }

    /// Runs a closure during which Ctrl-C calls another one, and ends nothing else.
    ///
    /// SIGTERM also calls the one before, after the closure has ended.
    func observing<Success>(
        _ cancel: @escaping @Sendable () -> Void, _ work: () async throws -> Success
    ) async throws -> Success {
        let outer = state.withLock { state in
            defer { state.cancel = cancel }
            return state.cancel
        }
        defer {
            let isTerminated = state.withLock { state in
                let isTerminated = state.isTerminated
                state = State(count: isTerminated ? 1 : 0, cancel: outer, isTerminated: isTerminated)
                return isTerminated
            }
            if isTerminated { outer?() }
        }
        return try await work()
    }

    /// Says that the command ends after its current request, which is waited for.
    ///
    /// - Parameter handlesTermination: Whether the command handles SIGTERM itself.
    func awaitCommand(handlesTermination: Bool = false) {
        state.withLock { ($0.isAwaited, $0.handlesTermination) = (true, handlesTermination) }
    }

    /// Ends the process with an error after Ctrl-C.
    ///
    /// A command that SIGTERM was sent to has ended as a service does.
    func exitIfInterrupted() {
        if state.withLock({ $0.count > 0 && !$0.isTerminated }) { exit(ExitCode.interrupted.rawValue) }
    }
}
