import Cabinet
public import Foundation

#if os(macOS) || os(Linux) || os(Windows)
extension ConformanceSubject {
    /// Returns the subject with a helper: a program that opens the same stores in another process.
    ///
    /// The program calls ``ConformanceRunner/run(on:arguments:)`` with a subject that opens the same stores. Rules
    /// about stores that two processes have open, about processes that are killed and about full disks run only on a subject
    /// with a helper.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: Arguments that the program receives, and removes, before those for the runner.
    public func withHelper(_ executable: URL, arguments: [String] = []) -> ConformanceSubject {
        var subject = self
        subject.helper = { store, task in
            try await Self.run(executable, arguments + ["--helper", store, task])
        }
        return subject
    }

    /// Runs a program, and returns its output.
    private static func run(_ executable: URL, _ arguments: [String]) async throws -> String {
        let process = Process()
        let output = Pipe()
        // A file, which takes any number of bytes before it is read.
        let directory = try TemporaryDirectory(for: "helper")
        defer { withExtendedLifetime(directory) {} }
        let errors = directory.url.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in continuation.resume() }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let status = process.terminationStatus
        // A helper may kill itself on request.
        let isKilled = process.terminationReason == .uncaughtSignal && status == SIGKILL
        if status != 0, !isKilled {
            let reason = String(decoding: (try? Data(contentsOf: errors)) ?? Data(), as: UTF8.self)
            try expect(
                false,
                "The helper, which must open the same stores, ended with status \(status). It printed '\(text)', and the error "
                    + "'\(reason.suffix(2000).trimmingCharacters(in: .whitespacesAndNewlines))'.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
#endif
