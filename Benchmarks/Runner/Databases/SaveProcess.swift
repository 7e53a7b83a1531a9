import Foundation

/// A process that runs a ``SaveLoad``.
final class SaveProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ load: SaveLoad) throws {
        process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = ["--saves", String(decoding: try JSONEncoder().encode(load), as: UTF8.self)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    /// Waits until the process has connected and saved in each of its databases.
    func waitUntilReady() throws {
        if output.fileHandleForReading.availableData.isEmpty { throw BenchmarkFailure("A process has ended early.") }
    }

    func start() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    /// Waits for the end.
    ///
    /// - Returns: The number of saves, and their processor time in seconds.
    func finish() throws -> (count: Int, processor: Double) {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else { throw BenchmarkFailure("A process has failed: \(text)") }
        return (Int(numbers[0]), numbers[1])
    }
}
