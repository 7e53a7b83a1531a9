import Foundation

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
}
