import Dispatch
import Foundation

/// Handlers that run when the user interrupts the program.
enum Signals {
    /// Removes a folder before a signal ends the program.
    static func cleaningUp(_ folder: URL) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                try? FileManager.default.removeItem(at: folder)
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }
}
