/// The exit code of a program, for scripts.
package enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    case notFound = 3
    case ambiguous = 4
    case different = 5
    case conflict = 6
    case interrupted = 130

    /// The code for an error.
    init(_ error: any Error) {
        self = (error as? CommandError)?.exitCode ?? .failure
    }
}

/// A command that cannot be run with the given arguments.
package struct CommandError: Error, CustomStringConvertible {
    package let exitCode: ExitCode
    package let description: String

    /// A command that fails with an exit code and a message.
    package init(_ exitCode: ExitCode, _ description: String) {
        self.exitCode = exitCode
        self.description = description
    }

    /// Wrong arguments.
    package static func usage(_ message: String) -> Self {
        Self(.usage, message)
    }
}
