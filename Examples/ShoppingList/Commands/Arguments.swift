/// The values that a command was given.
struct Arguments {
    private(set) var parameters: [String] = []
    private(set) var options: [String: String] = [:]

    /// What a command line asks for.
    enum Request {
        case help(String)
        case run(Command, Arguments)
    }

    /// Reads a command line.
    static func parse(_ line: [String]) throws(CommandError) -> Request {
        var words: [String] = []
        var wantsHelp = false
        var arguments = Arguments()

        var rest = line[...]
        while let word = rest.popFirst(), word != "--" {
            if word == "--help" || word == "-h" {
                wantsHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let value = parts.count == 2 ? parts[1] : rest.popFirst() ?? ""
                guard !value.isEmpty, !value.hasPrefix("--") else {
                    throw .usage("\(parts[0]) needs a value.")
                }
                guard arguments.options.updateValue(value, forKey: parts[0]) == nil else {
                    throw .usage("\(parts[0]) is given twice.")
                }
            } else {
                words.append(word)
            }
        }

        if wantsHelp { return .help(try Help.text(for: words)) }
        let command = try command(calledBy: words)
        // What follows `--` is never a command or an option, whatever it looks like.
        arguments.parameters = Array(words.dropFirst(command.words.count) + rest)
        try arguments.check(for: command)
        return .run(command, arguments)
    }

    /// The command that the first words call: of `items` and `items add`, the one with more words.
    private static func command(calledBy words: [String]) throws(CommandError) -> Command {
        guard !words.isEmpty else { return .interactive }
        let candidates = Command.all.filter { words.starts(with: $0.words) }
        guard let command = candidates.max(by: { $0.words.count < $1.words.count }) else {
            throw .usage("There is no command '\(words[0])'. See: shopping-list --help")
        }
        return command
    }

    private func check(for command: Command) throws(CommandError) {
        let help = "See: shopping-list \(command.words.joined(separator: " ")) --help"
        let known = [.store] + command.options
        for option in options.keys.sorted() where !known.contains(where: { $0.name == option }) {
            throw .usage("There is no option \(option) here. \(help)")
        }
        if let missing = command.parameters.dropFirst(parameters.count).first(where: { !$0.hasPrefix("[") }) {
            throw .usage("\(missing) is missing. \(help)")
        }
        if parameters.count > command.parameters.count {
            throw .usage("'\(parameters[command.parameters.count])' is too much. \(help)")
        }
    }
}
