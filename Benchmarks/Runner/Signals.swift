import Dispatch
import Foundation

/// What happens when somebody has waited long enough.
enum Signals {
    /// Removes a folder before the program is ended by a signal.
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
