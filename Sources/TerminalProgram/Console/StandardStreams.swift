package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The input, the output and the errors of the process.
package enum StandardStreams {
    /// Opens the streams that are closed, so that using them fails or has no effect.
    ///
    /// Otherwise, the next file or socket would get the descriptor, and the program's output with it. So this comes before anything
    /// else is opened.
    package static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // Input that cannot be read, and output that cannot be written; errors are dropped.
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    /// Writes bytes, and waits for the reader of a pipe that is full, also if the pipe does not block.
    ///
    /// - Returns: The number of bytes that were written, and the number of the system's error if these are not all.
    package static func write(_ bytes: some ContiguousBytes, to descriptor: Int32) -> (count: Int, error: Int32?) {
        bytes.withUnsafeBytes { bytes in
            var count = 0
            while count < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
                let written = writeCall(descriptor, rest.baseAddress, rest.count)
                if written >= 0 {
                    count += written
                } else if errno == EAGAIN {
                    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&output, 1, -1)
                } else if errno != EINTR {
                    return (count, errno)
                }
            }
            return (count, nil)
        }
    }
}

private let writeCall = write
