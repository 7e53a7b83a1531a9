import Foundation
import ProgramTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("cabinet serve: its beginning and its output", .timeLimit(.minutes(15)))
struct ServeStartTests {
    @Test("handles SIGHUP before it listens, and reads its keys from a pipe")
    func earlySignal() async throws {
        let cabinet = try CabinetProgram()
        let shell = try Program.installed("sh")
        let pipe = cabinet.folder.path("keys")
        #expect(try await Program.installed("mkfifo").run([pipe], in: cabinet.folder).status == 0)
        let keys = try cabinet.folder.write(
            """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"I9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyo",
            "y":"IscZYgNSevr5bMnJdnnGVvpHo61IGmvnFUSCFhH59aQ"}]}
            """, to: "jwks.json")
        let configuration = try cabinet.folder.write(
            #"{"jwt":{"keys":"\#(pipe)","issuer":"https://id.example.com","audience":"notes"}}"#, to: "serve.json")
        async let server = cabinet.serving("--container", "com.example.notes", "--config", configuration)
        // The server waits for its keys after it has opened the stores, and before it listens.
        let signal = "exec 3> '\(pipe)'; kill -HUP $(pgrep -f -- '[-]-config \(configuration)'); cat '\(keys)' >&3"
        #expect(try await shell.run(["-c", signal], in: cabinet.folder).status == 0)
        let listening = try await server
        // The signal makes it read them again.
        #expect(try await shell.run(["-c", "cat '\(keys)' > '\(pipe)'"], in: cabinet.folder).status == 0)
        #expect(try await listening.end(SIGTERM) == 0)
    }

    @Test("goes on without a reader of its log, and without room for its errors")
    func lostOutput() async throws {
        let cabinet = try CabinetProgram()
        let process = Process()
        process.executableURL = cabinet.program.executable
        process.arguments = [
            "serve", "--store", cabinet.store, "--listen", "127.0.0.1:0", "--container", "com.example.notes",
            "--dashboard",
        ]
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle(forWritingAtPath: "/dev/full") ?? FileHandle.nullDevice
        try withoutBlockedSignals { try process.run() }
        defer { if process.isRunning { process.terminate() } }
        var line = ""
        while !line.hasSuffix("\n") {
            line += String(decoding: try #require(try pipe.fileHandleForReading.read(upToCount: 1)), as: UTF8.self)
        }
        try pipe.fileHandleForReading.close()
        let url = try #require(URL(string: "\(line.dropFirst("Listening on ".count).dropLast())/health"))
        let (_, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }
}
