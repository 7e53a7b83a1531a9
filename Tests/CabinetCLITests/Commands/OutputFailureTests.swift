import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: an output that cannot be written")
struct OutputFailureTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private func run(_ arguments: String, output: String) async throws -> Program.Outcome {
        let command = "exec '\(cabinet.program.executable.path)' \(arguments) --store '\(cabinet.store)' \(output)"
        return try await Program.installed("sh").run(["-c", command], in: cabinet.folder)
    }

    @Test(
        "The program ends with 1, and says why",
        arguments: ["types", "query Coin --format json", "changes", "schema export", "--help", "--version", "manual"])
    func failure(arguments: String) async throws {
        try await cabinet.saveCoins()
        let closed = try await run(arguments, output: ">&-")
        #expect(closed.status == 1)
        #expect(closed.errors == "The output cannot be written: Bad file descriptor.\n")
        #if os(Linux)
        let full = try await run(arguments, output: "> /dev/full")
        #expect(full.status == 1)
        #expect(full.errors == "The output cannot be written: No space left on device.\n")
        #endif
    }

    @Test("An output that does not block gets everything, however slow its reader is")
    func nonblockingOutput() async throws {
        let text = String(repeating: "x", count: 300_000)
        let record = "{\"recordName\":\"a\",\"recordType\":\"T\",\"fields\":{\"x\":\"\(text)\"}}\n"
        try await cabinet.output("save", input: record)
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        _ = fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK)
        let process = Process()
        process.executableURL = cabinet.program.executable
        process.arguments = ["get", "a", "--store", cabinet.store]
        process.standardOutput = writer
        try withoutBlockedSignals { try process.run() }
        // The program fills the pipe before there is a reader.
        var output = pollfd(fd: writer.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        while process.isRunning, poll(&output, 1, 0) > 0 { try await Task.sleep(for: .milliseconds(1)) }
        try writer.close()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && bytes.count > text.utf8.count)
    }

    @Test("A file that would be larger than the limit of the process is an error, and not the end of the program")
    func fileSizeLimit() async throws {
        let text = String(repeating: "x", count: 2000)
        let lines = (0..<500).map {
            "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\"\(text)\"}}\n"
        }
        try await cabinet.output("import", cabinet.folder.write(lines.joined(), to: "a.jsonl"))
        // In units of 512 or 1024 bytes: more than the files that a reader of the store has, less than the export.
        let command =
            "ulimit -f 256; exec '\(cabinet.program.executable.path)' export b.jsonl --store '\(cabinet.store)'"
        let outcome = try await Program.installed("sh").run(["-c", command], in: cabinet.folder)
        #expect(outcome.status == 1 && outcome.errors.contains("b.jsonl.partial cannot be written"), "\(outcome)")
        #expect(try await cabinet.output("verify").contains("No damage was found."))
    }

    @Test("A command without output works without one, and nothing else gets its descriptor")
    func noOutput() async throws {
        try await cabinet.saveCoins()
        let file = cabinet.folder.path("coins.jsonl")
        #expect(try await run("export '\(file)'", output: ">&-").status == 1)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 5 && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(try await cabinet.output("verify").contains("No damage was found."))
    }
}
