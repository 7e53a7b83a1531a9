import Foundation
import Testing

extension Program {
    /// Starts the program, and kills it as soon as a condition holds, or a little later.
    ///
    /// - Returns: The status of a program that had ended by then; `nil` if it was killed.
    @discardableResult
    package func kill(
        _ arguments: [String], in folder: TemporaryFolder, after delay: Duration, when condition: () -> Bool
    ) async throws -> Int32? {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = Self.environment(in: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        var pauses = 0
        while pauses < 20_000, process.isRunning, !condition() {
            try await Task.sleep(for: .milliseconds(1))
            pauses += 1
        }
        try await Task.sleep(for: delay)
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        for await _ in ends {}
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }
}
