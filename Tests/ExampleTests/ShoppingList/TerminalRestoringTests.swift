import Foundation
import ProgramTestSupport
import Testing

@Suite("Shopping list: the shell gets its terminal back", .timeLimit(.minutes(15)))
struct TerminalRestoringTests {
    private let shopping: ShoppingList
    private let shell = Program(executable: URL(filePath: "/bin/sh"))

    init() throws {
        shopping = try ShoppingList()
    }

    private var command: String { "'\(shopping.program.executable.path)' --store '\(shopping.store)'" }

    @Test(
        "After every kind of end of the program, lines, echo and the shell's screen are restored, and the signal is reported",
        arguments: [("INT", 130), ("TERM", 143), ("HUP", 129), ("SEGV", 139), ("ABRT", 134), ("ILL", 132)])
    func signals(name: String, status: Int) async throws {
        let script =
            "\(command); echo \"[status $?]\"; stty -a | tr ';' '\\n' | grep -o '[ -]icanon\\|[ -]echo '; echo done"
        try await Terminal.running(shell, ["-c", script], in: shopping.folder) { terminal in
            try await terminal.wait(for: "No Records Found")
            _ = try await shell.run(
                ["-c", "kill -\(name) $(pgrep -f -- '--store \(shopping.store)$')"], in: shopping.folder)
            let screen = try await terminal.wait(for: "done")
            #expect(screen.contains("[status \(status)]"))
            #expect(screen.contains(" icanon") && screen.contains(" echo"))
            #expect(!screen.contains("-icanon") && !screen.contains("-echo"))
            #expect(try await !terminal.isFullScreen())
        }
    }

    @Test("Control-C ends the program from the keyboard")
    func interrupt() async throws {
        try await Terminal.running(shell, ["-i"], in: shopping.folder) { terminal in
            try await terminal.type("PS1='ready> '")
            try await terminal.wait(forPrompt: "ready>")
            try await terminal.type(command)
            try await terminal.wait(for: "No Records Found")
            try await terminal.press("C-c")
            try await terminal.wait(forPrompt: "ready>")
            try await terminal.type("echo \"status $?\"")
            try await terminal.wait(for: "\nstatus 130")
            #expect(try await !terminal.isFullScreen())
        }
    }

    @Test("Control-Z stops the program and gives the shell its screen; fg brings the program's back")
    func stop() async throws {
        try await Terminal.running(shell, ["-i"], in: shopping.folder) { terminal in
            try await terminal.type("PS1='ready> '")
            try await terminal.wait(forPrompt: "ready>")
            try await terminal.type(command)
            try await terminal.wait(for: "No Records Found")
            try await terminal.press("C-z")
            try await terminal.wait(forPrompt: "ready>")
            #expect(try await !terminal.isFullScreen())
            try await terminal.type("echo in the shell")
            try await terminal.wait(for: "\nin the shell")
            try await terminal.type("fg")
            try await terminal.wait(for: "No Records Found")
            try await terminal.press("a")
            try await terminal.type("Groceries")
            try await terminal.wait(forRow: "Groceries")
            try await terminal.press("q")
            try await terminal.wait(forPrompt: "ready>")
        }
        #expect(try await shopping.lists() == ["Groceries"])
    }

    @Test("Ctrl-D leaves from a form, and unfinished input is not saved")
    func endOfInput() async throws {
        try await Terminal.running(shopping.program, ["--store", shopping.store], in: shopping.folder) { terminal in
            try await terminal.wait(for: "No Records Found")
            try await terminal.press("a")
            try await terminal.write("Groceries")
            try await terminal.press("C-d")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await shopping.lists() == [])
    }
}
