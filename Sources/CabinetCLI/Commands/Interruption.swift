import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// Ctrl-C: the first cancels the command, which ends between two requests; the second ends the process.
final class Interruption: Sendable {
    private let count = Mutex(0)

    /// Calls a closure at the first Ctrl-C.
    ///
    /// - Returns: The source of the signals, which must be kept.
    func observe(_ cancel: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let queue = DispatchQueue(label: "com.example.cabinet.interruption")
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        source.setEventHandler { [self] in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { exit(ExitCode.interrupted.rawValue) }
            cancel()
            // A command that waits for input or for a server does not notice the cancellation.
            queue.asyncAfter(deadline: .now() + 2) { exit(ExitCode.interrupted.rawValue) }
        }
        source.activate()
        return source
    }

    func exitIfInterrupted() {
        if count.withLock({ $0 > 0 }) { exit(ExitCode.interrupted.rawValue) }
    }
}
