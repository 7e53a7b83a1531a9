import Foundation
package import Testing

/// A real terminal, in which a test runs a program and types: a window of a tmux server of its own.
package struct Terminal {
    private let tmux: Program
    private let folder: TemporaryFolder

    /// A name that no other terminal in the folder has; it is short, because the path of a socket must be.
    private let name = "tmux-\(UUID().uuidString.prefix(8))"

    /// The socket of the server.
    private var socket: String { folder.path(name) }

    /// The whole output of the program, with the codes that move the cursor.
    private var log: String { folder.path("\(name).log") }

    /// Opens a terminal with a program in it, lets the test use it, and closes it.
    ///
    /// - Parameters:
    ///   - folder: The program's home. Several terminals can have the same.
    ///   - environment: Variables to set for the program, such as `TERM=dumb`.
    package static func running(
        _ program: Program, _ arguments: [String], in folder: TemporaryFolder, columns: Int = 100, rows: Int = 30,
        environment: [String] = [], _ test: (Terminal) async throws -> Void
    ) async throws {
        let terminal = Terminal(tmux: try .installed("tmux"), folder: folder)
        // The server is not a daemon, so that it ends with its test at the latest.
        async let server = terminal.tmux.run(["-u", "-S", terminal.socket, "-f", "/dev/null", "-D"], in: folder)
        do {
            let words = environment.isEmpty ? [] : ["env"] + environment
            try await terminal.open(words + [program.executable.path] + arguments, columns: columns, rows: rows)
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

    private func open(_ words: [String], columns: Int, rows: Int) async throws {
        let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        // The shell waits until everything is recorded, and shows the exit status of the program.
        let script = "read start; clear; \(command); echo \"[ended with $?]\"; read end"
        try await openWindow(["-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh", "-c", script])
        try await tmux("pipe-pane", "cat > '\(log)'")
        try await type("")
    }

    /// Opens the window as soon as the server listens, which takes longer on a busy machine.
    private func openWindow(_ arguments: [String]) async throws {
        for _ in 0..<600 {
            if FileManager.default.fileExists(atPath: socket) {
                let outcome = try await tmux.run(["-u", "-N", "-S", socket, "new-session"] + arguments, in: folder)
                if outcome.status == 0 { return }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Missing()
    }

    /// Types a line.
    package func type(_ line: String) async throws {
        if !line.isEmpty { try await tmux("send-keys", "-l", "--", line) }
        try await tmux("send-keys", "Enter")
    }

    /// Presses keys, such as `C-d` or `Down`.
    package func press(_ keys: String...) async throws {
        try await tmux(["send-keys"] + keys)
    }

    /// Types text, without Enter.
    package func write(_ text: String) async throws {
        try await tmux("send-keys", "-l", "--", text)
    }

    /// Pastes text, as a terminal does that marks it as pasted.
    package func paste(_ text: String) async throws {
        try await tmux("set-buffer", "--", text)
        try await tmux("paste-buffer", "-p")
    }

    /// Changes the size of the terminal.
    package func resize(columns: Int, rows: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Waits until the screen shows a text, and returns the screen.
    @discardableResult
    package func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        try await wait(until: "'\(text)'", sourceLocation: sourceLocation) { $0.contains(text) }
    }

    /// Waits until a line of the screen has these texts, from its beginning, and returns the screen.
    @discardableResult
    package func wait(
        forRow texts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await wait(until: "the row \(texts)", sourceLocation: sourceLocation) { screen in
            screen.rows.contains { $0.starts(with: texts) }
        }
    }

    /// Waits until a prompt is the last line of the screen: keys that are typed before are lost when a program ends.
    package func wait(forPrompt prompt: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await wait(until: "the prompt '\(prompt)'", sourceLocation: sourceLocation) { screen in
            screen.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces).hasSuffix(prompt) == true
        }
    }

    /// Waits until the screen satisfies a condition, and returns it.
    @discardableResult
    package func wait(
        until description: String, sourceLocation: SourceLocation = #_sourceLocation, _ isShown: (String) -> Bool
    ) async throws -> String {
        var screen = ""
        for _ in 0..<1000 {
            screen = try await tmux("capture-pane", "-p").output
            if isShown(screen) { return screen }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("The screen never showed \(description), but:\n\(screen)", sourceLocation: sourceLocation)
        throw Missing()
    }

    /// The screen with the codes of its colors and styles.
    package func styledScreen() async throws -> String {
        try await tmux("capture-pane", "-p", "-e").output
    }

    /// Whether the program shows another screen than the shell's.
    package func isFullScreen() async throws -> Bool {
        try await tmux("display-message", "-p", "#{alternate_on}").output == "1\n"
    }

    /// Everything that was shown, even briefly.
    package func everythingShown() throws -> String {
        try String(contentsOfFile: log, encoding: .utf8)
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> Program.Outcome {
        try await tmux(arguments)
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> Program.Outcome {
        let outcome = try await tmux.run(["-u", "-N", "-S", socket] + arguments, in: folder)
        try #require(outcome.status == 0, "tmux \(arguments.joined(separator: " ")): \(outcome.errors)")
        return outcome
    }

    /// The screen never satisfied the condition.
    private struct Missing: Error {}
}

extension String {
    /// The texts on each line of a screen, between which are at least two spaces; without the mark of the selection.
    package var rows: [[String]] {
        split(separator: "\n").map { line in
            String(line).replacing("› ", with: "  ").split(separator: /\s{2,}/).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }
}
