/// The output of `--help`.
struct Help {
    let program: Program

    /// The help for a command, for a group of commands such as `lists`, or for the program if there are no words.
    func text(for words: [String]) throws(CommandError) -> String {
        let commands = program.commands.filter { $0.words.starts(with: words) }
        if words.isEmpty { return text }
        if let command = commands.first, commands.count == 1 { return text(for: command) }
        if commands.isEmpty { throw program.unknownCommand(words) }
        // The words can be a command too.
        let own = commands.first { $0.words == words }
        let (details, examples) = (own?.details ?? "", own?.examples ?? [])
        let all: [String?] = [
            "Usage: \(program.name) \(words.joined(separator: " ")) …",
            section("Commands", commands.map { [$0.usage, $0.summary] }),
            details.isEmpty ? nil : details,
            section("Options", ((own?.options ?? []) + ownOptions).map(row)),
            examples.isEmpty ? nil : section("Examples", examples.map { [$0] }),
            "More: \(program.name) \(words.joined(separator: " ")) COMMAND --help",
        ]
        return sections(all.compactMap(\.self))
    }

    private var text: String {
        sections([
            "Usage: \(program.name) \(ownOptions.map { "[\($0.usage)] " }.joined())[COMMAND]",
            program.summary,
            section("Commands", program.commands.map { [$0.usage, $0.summary] }),
            section("Options", program.options.map(row)),
            program.notes,
            section("Exit codes", program.exitCodes.map { ["\($0.code.rawValue)", $0.meaning] }),
        ])
    }

    private func text(for command: Command) -> String {
        sections(
            [
                "Usage: \(program.name) \(command.usage)",
                command.summary + "." + (command.details.isEmpty ? "" : "\n" + command.details),
                section("Options", (command.options + ownOptions).map(row)),
            ] + (command.examples.isEmpty ? [] : [section("Examples", command.examples.map { [$0] })]))
    }

    /// The options that only this program has.
    var ownOptions: [Option] {
        program.options.filter { option in !Option.common.contains { $0.name == option.name } }
    }

    private func row(_ option: Option) -> [String] {
        [option.usage, option.summary]
    }

    private func section(_ title: String, _ rows: [[String]]) -> String {
        ([title + ":"] + rows.aligned().map { "  " + $0 }).joined(separator: "\n")
    }

    private func sections(_ sections: [String]) -> String {
        sections.joined(separator: "\n\n")
    }
}

extension Command {
    /// The usage line of a command.
    var usage: String {
        (words + parameters + options.map { "[\($0.usage)]" }).joined(separator: " ")
    }
}
