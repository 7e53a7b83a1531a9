import Foundation
import Testing

/// A real terminal, in which a test runs a program and types: a window of a tmux server of its own.
struct Terminal {
    private let tmux: Program
    private let folder: TemporaryFolder

    /// Where the server listens; there is no other server in the folder.
    private var socket: String { folder.path("tmux") }

    /// Everything that the program has written, with the codes that move the cursor.
    private var log: String { folder.path("terminal.log") }

    /// Opens a terminal with a program in it, lets the test use it, and closes it.
    static func running(
        _ program: Program, _ arguments: [String], in folder: TemporaryFolder, _ test: (Terminal) async throws -> Void
    ) async throws {
        let terminal = Terminal(tmux: try .installed("tmux"), folder: folder)
        // The server is no daemon, so that it ends with its test at the latest.
        async let server = terminal.tmux.run(["-u", "-S", terminal.socket, "-f", "/dev/null", "-D"], in: folder)
        do {
            try await terminal.open(program, arguments)
            try await test(terminal)
        } catch {
            _ = try? await terminal.tmux("kill-server")
            _ = try await server
            throw error
        }
        try await terminal.tmux("kill-server")
        _ = try await server
    }

    private init(tmux: Program, folder: TemporaryFolder) {
        self.tmux = tmux
        self.folder = folder
    }

    private func open(_ program: Program, _ arguments: [String]) async throws {
        let words = [program.executable.path] + arguments
        let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        // The shell waits until everything is recorded, and shows how the program ended.
        let script = "read start; clear; \(command); echo \"[ended with $?]\"; read end"
        try await waitForServer()
        try await tmux("new-session", "-d", "-x", "100", "-y", "30", "/bin/sh", "-c", script)
        try await tmux("pipe-pane", "cat > '\(log)'")
        try await type("")
    }

    private func waitForServer() async throws {
        for _ in 0..<400 where FileManager.default.fileExists(atPath: socket) == false {
            try await Task.sleep(for: .milliseconds(25))
        }
    }

    /// Types a line.
    func type(_ line: String) async throws {
        if !line.isEmpty { try await tmux("send-keys", "-l", "--", line) }
        try await tmux("send-keys", "Enter")
    }

    /// Presses a key, such as `C-d`.
    func press(_ key: String) async throws {
        try await tmux("send-keys", key)
    }

    /// Waits until the screen shows a text, and returns the screen.
    @discardableResult
    func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        var screen = ""
        for _ in 0..<400 {
            screen = try await tmux("capture-pane", "-p").output
            if screen.contains(text) { return screen }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("The screen never showed '\(text)', but:\n\(screen)", sourceLocation: sourceLocation)
        throw Missing()
    }

    /// Everything that was shown, also for a moment.
    func everythingShown() throws -> String {
        try String(contentsOfFile: log, encoding: .utf8)
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> Program.Outcome {
        let outcome = try await tmux.run(["-u", "-N", "-S", socket] + arguments, in: folder)
        try #require(outcome.status == 0, "tmux \(arguments.joined(separator: " ")): \(outcome.errors)")
        return outcome
    }

    /// The screen never showed what it should.
    private struct Missing: Error {}
}
