import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// Ctrl-C: the first cancels the command, which ends between two requests; the second ends the process.
final class Interruption: Sendable {
    static let shared = Interruption()

    private struct State {
        var count = 0
        /// Cancels the running command.
        var cancel: (@Sendable () -> Void)?
        /// Whether the command ends by itself soon, however long its current request takes.
        var isAwaited = false
    }

    private let state = Mutex(State())

    /// Calls a closure at the first Ctrl-C.
    ///
    /// - Returns: The source of the signals, which must be kept.
    func observe(_ cancel: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        state.withLock { $0.cancel = cancel }
        #if canImport(Darwin)
        // On Linux the source has a handler of its own. Until then, Ctrl-C ends the process.
        signal(SIGINT, SIG_IGN)
        #endif
        let queue = DispatchQueue(label: "com.example.cabinet.interruption")
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        source.setEventHandler { [self] in
            let (count, cancel, isAwaited) = state.withLock { state in
                state.count += 1
                return (state.count, state.cancel, state.isAwaited)
            }
            if count > 1 { exit(ExitCode.interrupted.rawValue) }
            cancel?()
            if isAwaited { return }
            // A command that waits for input or for a server does not notice the cancellation.
            queue.asyncAfter(deadline: .now() + 2) { [self] in
                if state.withLock({ $0.count > 0 }) { exit(ExitCode.interrupted.rawValue) }
            }
        }
        source.activate()
        return source
    }

    /// Runs a closure during which Ctrl-C calls another one, and ends nothing else.
    func observing<Success>(
        _ cancel: @escaping @Sendable () -> Void, _ work: () async throws -> Success
    ) async throws -> Success {
        let outer = state.withLock { state in
            defer { state.cancel = cancel }
            return state.cancel
        }
        defer { state.withLock { $0 = State(count: 0, cancel: outer) } }
        return try await work()
    }

    /// Says that the command ends after its current request, which is waited for.
    func awaitCommand() {
        state.withLock { $0.isAwaited = true }
    }

    func exitIfInterrupted() {
        if state.withLock({ $0.count > 0 }) { exit(ExitCode.interrupted.rawValue) }
    }
}
