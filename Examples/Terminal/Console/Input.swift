import Dispatch
import Foundation

/// The lines that a person types, or that a pipe brings.
struct Input: Sendable {
    /// Whether a person types them.
    let isTerminal = isatty(STDIN_FILENO) == 1

    /// Reading blocks a thread until somebody types, so it has one of its own: Swift's own threads must not wait.
    private let queue = DispatchQueue(label: "com.example.input")

    /// The next line.
    ///
    /// - Throws: ``EndOfInput`` if there is none.
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
