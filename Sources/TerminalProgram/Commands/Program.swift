import Foundation

/// A program for the terminal: screens for a person, commands for a script, one store for both.
package struct Program: Sendable {
    /// The name of the program in a shell.
    package let name: String

    /// The version of the program.
    let version: String

    /// A summary, in a sentence or two.
    let summary: String

    /// All commands, in the order of the help.
    let commands: [Command]

    /// The command that runs without arguments.
    let withoutCommand: Command?

    /// The options of every command.
    let options: [Option]

    /// The help's text about arguments and rows.
    let notes: String

    /// The meanings of the program's exit codes.
    let exitCodes: [(code: ExitCode, meaning: String)]

    /// Returns the error of the program for one of another module.
    private let describe: @Sendable (any Error) -> CommandError

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - content: The content of its store, such as `the lists`.
    ///   - storeSummary: The summary of the option `--store`, if the store is not in a folder of the user by default.
    ///   - withoutCommand: The command that runs without arguments; its words are ignored. `nil` for the first command.
    ///   - options: The options of every command, besides `--store`.
    ///   - describe: Returns the message and the exit code for an error of another module.
    package init(
        name: String, version: String = "0.1.0", content: String = "the records", storeSummary: String? = nil,
        summary: String, commands: [Command],
        withoutCommand: Command? = nil, options: [Option] = [], notes: String,
        exitCodes: [(code: ExitCode, meaning: String)],
        describe: @escaping @Sendable (any Error) -> CommandError = { error in
            CommandError(.failure, error.systemReason == nil ? "\(error)" : error.fileDescription)
        }
    ) {
        let store = Option(
            name: Option.store, value: "STORE",
            summary: storeSummary
                ?? "Keep \(content) in this folder or server (default: \(StoreFolder.default(for: name).path.abbreviatingHome))"
        )
        self.name = name
        self.version = version
        self.summary = summary
        self.commands = commands
        self.withoutCommand = withoutCommand ?? commands.first
        self.options = [store] + options + Option.common
        self.notes = notes + "\n" + Self.storeNotes
        self.exitCodes = exitCodes
        self.describe = describe
    }

    /// The help's text about stores.
    private static let storeNotes = """
        STORE is a folder, or the URL of a PostgreSQL database, which many machines can use at the same time:
        postgresql://USER@HOST/DATABASE. A password belongs in ~/.pgpass or PGPASSWORD; one in the URL is never shown.
        Or it is the URL of a Cabinet server: https://HOST, or http://localhost:PORT. CABINET_CREDENTIALS names a file with the
        user and a token, or CABINET_USER and CABINET_TOKEN are set.
        """

    /// Runs the command of the process's arguments.
    ///
    /// On failure, it prints the reason, and ends the process with an exit code.
    package func run() async {
        StandardStreams.reserve()
        do {
            try await run(Array(ProcessArguments.all().dropFirst()))
        } catch {
            Console(isPlain: CommandLine.arguments.contains(Option.plain)).writeError("\(error)")
            exit(ExitCode(error).rawValue)
        }
    }

    /// Runs the command of a line of words, which fails with an error.
    package func run(_ words: [String]) async throws {
        switch try Arguments.parse(words, for: self) {
        case .help(let text):
            Console().write(help: text)
        case .version:
            Console().write("\(name) \(version)")
        case .run(let command, let arguments):
            let console = Console(isPlain: arguments.flags.contains(Option.plain))
            do {
                try await command.run(
                    Invocation(program: self, command: command, arguments: arguments, console: console))
            } catch {
                throw error as? CommandError ?? describe(error)
            }
        }
    }

    /// Returns the words that may stand at the end of a line: commands, or the options of a command.
    package func completions(of line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let before = words.dropLast().filter { !$0.isEmpty }
        let next = commands.filter { $0.words.count > before.count && $0.words.starts(with: before) }
            .map { $0.words[before.count] }
        if !next.isEmpty { return Array(Set(next)).sorted() }
        let command = commands.filter { before.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
        return ((command?.options ?? []) + options).map(\.name)
    }
}
