package import Foundation
import Testing

/// A running `cabinet serve`, on a port that was free.
package final class ServingProgram: Sendable {
    package let url: URL
    private let process: Process
    private let output: String
    private let errorOutput: String
    private let ends: AsyncStream<Void>

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - port: The port, or 0 for a free one.
    ///   - arguments: Further arguments.
    ///   - folder: The folder of its output.
    package init(store: String, port: Int = 0, _ arguments: [String], in folder: TemporaryFolder) async throws {
        output = try folder.write("", to: "\(UUID().uuidString).out")
        errorOutput = try folder.write("", to: "\(UUID().uuidString).err")
        let process = Process()
        process.executableURL = try Program.built("cabinet").executable
        process.arguments = ["serve", "--store", store, "--listen", "127.0.0.1:\(port)"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errorOutput)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.finish() }
        try withoutBlockedSignals { try process.run() }
        (self.process, self.ends) = (process, ends)
        var first: String?
        for _ in 0..<3_000 where first == nil && process.isRunning {
            try await Task.sleep(for: .milliseconds(10))
            let text = try String(contentsOfFile: output, encoding: .utf8)
            if text.contains("\n") { first = text.components(separatedBy: "\n").first }
        }
        let words = first?.wholeMatch(of: /Listening on (https?:\/\/127\.0\.0\.1:[0-9]+)/)
        guard let url = words.flatMap({ URL(string: String($0.1)) }) else {
            kill(process.processIdentifier, SIGKILL)
            let errors = try String(contentsOfFile: errorOutput, encoding: .utf8)
            Issue.record("The server does not say where it listens: \(first ?? "nothing") \(errors)")
            throw URLError(.cannotConnectToHost)
        }
        self.url = url
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    package var processID: Int32 { process.processIdentifier }

    package func lines() throws -> [String] {
        try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    package func errors() throws -> [String] {
        try String(contentsOfFile: errorOutput, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Sends a signal, and returns the status of the program once it has ended.
    package func end(_ signal: Int32) async throws -> Int32 {
        kill(process.processIdentifier, signal)
        for await _ in ends {}
        return process.terminationStatus
    }
}
