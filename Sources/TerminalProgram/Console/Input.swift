import Dispatch
import Foundation

/// The lines that a person types, or that arrive through a pipe.
struct Input: Sendable {
    /// Whether the input is a terminal.
    let isTerminal = isatty(STDIN_FILENO) == 1

    /// Reading blocks a thread until the person types, so it uses a dedicated one: Swift's own threads must not wait.
    private let queue = DispatchQueue(label: "com.example.input")

    /// The next line.
    ///
    /// - Throws: ``EndOfInput`` if the input has ended.
    func line() async throws(EndOfInput) -> String {
        let line = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: readLine()) }
        }
        guard let line else { throw EndOfInput() }
        return line
    }
}

/// Nothing more will be typed: the person pressed Ctrl-D, or the pipe is empty.
package struct EndOfInput: Error {}
