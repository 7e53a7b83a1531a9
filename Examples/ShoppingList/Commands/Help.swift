/// What `--help` prints.
enum Help {
    /// The help for a command, for a group of commands such as `lists`, or for the program if there are no words.
    static func text(for words: [String]) throws(CommandError) -> String {
        let commands = Command.all.filter { $0.words.starts(with: words) }
        if words.isEmpty { return program }
        if let command = commands.first, commands.count == 1 { return text(for: command) }
        guard !commands.isEmpty else {
            throw .usage("There is no command '\(words.joined(separator: " "))'. See: shopping-list --help")
        }
        return sections([
            "Usage: shopping-list \(words.joined(separator: " ")) …",
            section("Commands", commands.map { [$0.usage, $0.summary] }),
            section("Options", [row(.store)]),
            "More: shopping-list \(words.joined(separator: " ")) COMMAND --help",
        ])
    }

    private static var program: String {
        sections([
            "Usage: shopping-list [--store DIR] [COMMAND]",
            "Keeps shopping lists. Without a command, it shows its screens.",
            section("Commands", Command.all.map { [$0.usage, $0.summary] }),
            section("Options", [row(.store), ["--help", "Show this help, or the help of a command"]]),
            """
            LIST and ITEM are names, or record names where several have the same name.
            Commands print the rows that they find, save or delete; to a file or a pipe, with tabs between the columns:
            name and record name of a list; name, number and record name of an item. What follows -- is no option.
            """,
            section("Exit codes", ExitCode.allCases.map { ["\($0.rawValue)", $0.meaning] }),
        ])
    }

    private static func text(for command: Command) -> String {
        sections([
            "Usage: shopping-list \(command.usage)",
            command.summary + "." + (command.details.isEmpty ? "" : "\n" + command.details),
            section("Options", (command.options + [.store]).map(row)),
        ])
    }

    private static func row(_ option: Option) -> [String] {
        ["\(option.name) \(option.value)", option.summary]
    }

    private static func section(_ title: String, _ rows: [[String]]) -> String {
        ([title + ":"] + rows.aligned().map { "  " + $0 }).joined(separator: "\n")
    }

    private static func sections(_ sections: [String]) -> String {
        sections.joined(separator: "\n\n")
    }
}

extension Command {
    /// How the command is called.
    fileprivate var usage: String {
        (words + parameters + options.map { "[\($0.name) \($0.value)]" }).joined(separator: " ")
    }
}
