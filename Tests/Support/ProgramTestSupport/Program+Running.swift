import Foundation

extension Program {
    /// The result of a program.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        /// The lines of the output.
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The environment of a program whose home is a folder.
    static func environment(in folder: TemporaryFolder) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(
            [
                "HOME": folder.url.path, "XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache"),
                "XDG_STATE_HOME": folder.path("state"), "TMPDIR": folder.url.path,
            ]
        ) { $1 }
    }

    /// Runs the program to its end, in a folder that is also its home.
    ///
    /// - Parameter input: Its input, through a pipe.
    package func run(_ arguments: [String], in folder: TemporaryFolder, input: String = "") async throws -> Outcome {
        // Files, not pipes: they need no reader while the program runs.
        let name = UUID().uuidString
        let output = try folder.write("", to: "\(name).out")
        let errors = try folder.write("", to: "\(name).err")
        let pipe = Pipe()

        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = Self.environment(in: folder)
        process.standardInput = pipe
        // A process object keeps its pipes open after the process has ended. With more than a thousand open files,
        // Foundation no longer reports the end of a process.
        let handles = [output, errors].map { FileHandle(forWritingAtPath: $0) }
        defer { for handle in handles { try? handle?.close() } }
        process.standardOutput = handles[0]
        process.standardError = handles[1]

        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try withoutBlockedSignals { try process.run() }
                try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try pipe.fileHandleForWriting.close()
            } catch {
                ended.resume(throwing: error)
            }
        }
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
}

/// Starts a program as a shell would.
///
/// Tests run on threads that block most signals, and a program inherits its parent's blocked signals. A terminal that
/// does not receive the signal for its closed window waits forever.
package func withoutBlockedSignals(_ start: () throws -> Void) rethrows {
    var none = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
    try start()
}
