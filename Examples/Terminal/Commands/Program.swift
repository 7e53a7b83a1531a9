import Foundation

/// A program for the terminal: screens for a person, commands for a script, one store for both.
package struct Program: Sendable {
    /// What it is called in a shell.
    package let name: String

    /// Which version it is.
    let version: String

    /// What it does, in a sentence or two.
    let summary: String

    /// All commands, in the order of the help.
    let commands: [Command]

    /// What the program does without a command.
    let withoutCommand: Command?

    /// The options of every command.
    let options: [Option]

    /// What the help says about arguments and rows.
    let notes: String

    /// What the exit codes mean, for those that the program has.
    let exitCodes: [(code: ExitCode, meaning: String)]

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - content: What is in its store, such as `the lists`.
    ///   - withoutCommand: What it does without a command; its words do not matter. `nil` for the first command.
    ///   - options: The options of every command, besides `--store`.
    package init(
        name: String, version: String = "0.1.0", content: String, summary: String, commands: [Command],
        withoutCommand: Command? = nil, options: [Option] = [], notes: String,
        exitCodes: [(code: ExitCode, meaning: String)]
    ) {
        let store = Option(
            name: Option.store, value: "STORE",
            summary:
                "Keep \(content) in this folder or server (default: \(StoreFolder.default(for: name).path.abbreviatingHome))"
        )
        self.name = name
        self.version = version
        self.summary = summary
        self.commands = commands
        self.withoutCommand = withoutCommand ?? commands.first
        self.options = [store] + options + Option.common
        self.notes = notes + "\n" + Self.storeNotes
        self.exitCodes = exitCodes
    }

    /// What the help says about stores.
    private static let storeNotes = """
        STORE is a folder, or the URL of a PostgreSQL database, which many machines can use at the same time:
        postgresql://USER@HOST/DATABASE. A password belongs in ~/.pgpass or PGPASSWORD; one in the URL is never shown.
        """

    /// Does what the process's arguments say.
    ///
    /// If that fails, it prints why, and ends the process with an exit code.
    package func run() async {
        var console = Console()
        do {
            switch try Arguments.parse(Array(ProcessArguments.all().dropFirst()), for: self) {
            case .help(let text):
                console.write(help: text)
            case .version:
                console.write("\(name) \(version)")
            case .run(let command, let arguments):
                console = Console(isPlain: arguments.flags.contains(Option.plain))
                try await command.run(Invocation(program: self, arguments: arguments, console: console))
            }
        } catch {
            console.writeError("\(error)")
            exit(ExitCode(error).rawValue)
        }
    }
}
