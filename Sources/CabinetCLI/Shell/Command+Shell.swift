import Cabinet
import Foundation
import TerminalProgram

extension Command {
    /// Reads commands from a prompt, or from a pipe.
    static func shell(of program: @escaping @Sendable () -> Program) -> Command {
        Command(
            words: ["shell"], summary: "Type commands at a prompt, without the program's name and the store",
            details: """
                On a terminal, a line can be edited, Tab completes it, and the arrows up and down recall earlier lines. In a pipe, each line
                is a command, and the first one that fails ends the shell with its exit code. Options of the shell, such as --store, are
                those of its commands. browse shows the store on the whole terminal, and returns to the prompt. exit, quit or Ctrl-D leave.
                """,
            examples: ["cabinet shell --store ~/shop", "echo \"count Coin 'year > 1900'\" | cabinet shell"]
        ) { invocation in
            try await Shell(program: program(), invocation: invocation).run()
        }
    }
}

/// A prompt for commands.
private struct Shell {
    let program: Program
    let invocation: Invocation

    func run() async throws {
        // A wrong store is reported before the first command.
        try await invocation.withContainer { _ in }
        guard let editor = LineEditor(console: invocation.console) else { return try await runLines() }
        invocation.console.write("\(try invocation.storeText). Commands: help. Leave: exit.")
        var history = ShellHistory()
        // Commands block their thread while they read and write files.
        let executor = BlockingExecutor(label: "cabinet shell")
        while !Task.isCancelled {
            let line: String
            do {
                line = try await editor.line(
                    prompt: "cabinet> ", history: history.lines, candidates: program.completions)
            } catch { return }
            history.add(line)
            do {
                // A task of its own, so that Ctrl-C ends the command and not the shell.
                let task = Task(executorPreference: executor) { try await run(line) }
                let goesOn = try await Interruption.shared.observing(task.cancel) { try await task.value }
                if !goesOn { return }
            } catch {
                invocation.console.writeError("\(CommandError(describing: error))")
            }
        }
    }

    private func runLines() async throws {
        while let line = try await invocation.console.nextLine() {
            if try await !run(line) { return }
        }
    }

    /// Runs a line.
    ///
    /// - Returns: Whether more lines follow.
    private func run(_ line: String) async throws -> Bool {
        let words = try ShellWords.split(line)
        switch words.first {
        case nil: return true
        case "exit", "quit": return false
        case "shell": throw CommandError.usage("This is the shell already. To leave it: exit")
        default: try await program.run(inherited(by: words) + words)
        }
        return true
    }

    /// The options of the shell that a line does not have itself.
    private func inherited(by words: [String]) -> [String] {
        let given = words.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        let options = invocation.arguments.options.sorted { $0.key < $1.key }
        let flags = invocation.arguments.flags.sorted().filter { !given.contains(Substring($0)) }
        return options.filter { !given.contains(Substring($0.key)) }.flatMap { [$0.key, $0.value] } + flags
    }
}
