/// How the program ends, for scripts.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case usage = 2
    case notFound = 3
    case ambiguous = 4

    /// What `--help` says about the code.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "the store or a file failed; the error says why"
        case .usage: "wrong arguments, a blank name among them; nothing was saved"
        case .notFound: "there is no such list or item"
        case .ambiguous: "several lists or items have that name; the error lists their record names"
        }
    }

    /// The code for an error.
    init(_ error: any Error) {
        self = (error as? CommandError)?.exitCode ?? .failure
    }
}

/// A command that cannot be carried out as it was given.
struct CommandError: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let description: String

    /// Wrong arguments.
    static func usage(_ message: String) -> Self {
        Self(exitCode: .usage, description: message)
    }
}
