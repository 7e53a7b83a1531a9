import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The process of a competitor's work: its own, or this one.
protocol Contestant {
    func perform(_ command: Worker.Command) async throws -> Outcome
    func close() async throws
}

extension Worker: Contestant {}

/// A process of one competitor alone, so that its memory and its processor time are measured separately.
final class WorkerProcess: Contestant {
    private let process = Process()
    private let input: FileHandle
    private let answers: UnsafeMutablePointer<FILE>

    init(_ order: Worker.Order) throws {
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        if let path = Bundle.main.executablePath { process.executableURL = URL(fileURLWithPath: path) }
        process.arguments = ["--worker", String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
        process.standardInput = input
        process.standardOutput = output
        self.input = input.fileHandleForWriting
        // Other workers must not keep this one's input open, or it would never end.
        _ = fcntl(self.input.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard let answers = fdopen(dup(output.fileHandleForReading.fileDescriptor), "r") else {
            throw BenchmarkFailure("A worker's answers cannot be read.")
        }
        self.answers = answers
        try process.run()
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
    }

    deinit { fclose(answers) }

    func perform(_ command: Worker.Command) async throws -> Outcome {
        try input.write(contentsOf: JSONEncoder().encode(command) + Data("\n".utf8))
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        let length = getline(&line, &capacity, answers)
        guard length > 0, let line else { throw BenchmarkFailure("A worker has ended in row \(command.row).") }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let reply = try decoder.decode(Worker.Reply.self, from: Data(bytes: line, count: length))
        guard let outcome = reply.outcome else {
            throw BenchmarkFailure("Row \(command.row), \(command.step): \(reply.failure ?? "no answer")")
        }
        return outcome
    }

    func close() async throws {
        try input.close()
        process.waitUntilExit()
    }
}
