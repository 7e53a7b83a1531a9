import Dispatch
import Foundation

/// The lines that a person types, or that arrive through a pipe.
struct Input: Sendable {
    /// Whether the input is a terminal.
    let isTerminal = isatty(STDIN_FILENO) == 1

    /// Reading blocks a thread until the person types, so it uses a dedicated one: Swift's own threads must not wait.
    private let queue = DispatchQueue(label: "com.example.input")

    /// The stream of the input, which is never closed.
    // Safe: POSIX requires that each call locks the stream, so calls by different threads exclude each other.
    private nonisolated(unsafe) static let stream = fdopen(STDIN_FILENO, "r")

    /// The bytes of the next line; `nil` at the end of the input.
    ///
    /// - Throws: An error if the input cannot be read.
    func line() async throws(CommandError) -> [UInt8]? {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.read()) }
        }
        return try result.get()
    }

    private static func read() -> Result<[UInt8]?, CommandError> {
        var (buffer, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(buffer) }
        while true {
            errno = 0
            let count = getline(&buffer, &capacity, stream)
            if let buffer, count >= 0 {
                let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
                let end = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
                return .success(Array(end.last == UInt8(ascii: "\r") && end.count < count ? end.dropLast() : end))
            }
            let number = errno
            if ferror(stream) == 0 { return .success(nil) }
            if number != EINTR {
                return .failure(
                    CommandError(.failure, "The input cannot be read: \(String(cString: strerror(number)))."))
            }
            clearerr(stream)
        }
    }
}

/// Nothing more will be typed: the person pressed Ctrl-D, or the pipe is empty.
package struct EndOfInput: Error {}
