/// The arguments of a command.
package struct Arguments: Sendable {
    package private(set) var parameters: [String] = []
    package private(set) var options: [String: String] = [:]

    /// The options without a value that are set.
    package private(set) var flags: Set<String> = []

    /// The request of a command line.
    enum Request {
        case help(String)
        case version
        case run(Command, Arguments)
    }

    /// Reads a command line.
    static func parse(_ line: [String], for program: Program) throws(CommandError) -> Request {
        var words: [String] = []
        var arguments = Arguments()

        var rest = line[...]
        while let word = rest.popFirst(), word != "--" {
            if word.hasPrefix("-"), word != "-" {
                try arguments.take(option: word == "-h" ? Option.help : word, followedBy: &rest, of: program)
            } else {
                words.append(word)
            }
        }

        // `help query` is `query --help`.
        if words.first == "help" {
            arguments.flags.insert(Option.help)
            words.removeFirst()
        }
        if arguments.flags.contains(Option.help) { return .help(try Help(program: program).text(for: words)) }
        if arguments.flags.contains(Option.version) { return .version }
        let command = try program.command(calledBy: words)
        // Words after `--` are never a command or an option.
        arguments.parameters = Array(words.dropFirst(words.isEmpty ? 0 : command.words.count) + rest)
        try arguments.check(for: command, of: program, words: words)
        return .run(command, arguments)
    }

    private mutating func take(
        option word: String, followedBy rest: inout ArraySlice<String>, of program: Program
    ) throws(CommandError) {
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        let name = parts[0]
        let options = program.options + program.commands.flatMap(\.options)
        guard let option = options.first(where: { $0.name == name }) else {
            let meant = name.nearest(of: options.map(\.name))
            throw .usage("There is no option \(name). \(program.hint(meant: meant))")
        }
        let isNew: Bool
        if option.value == nil {
            guard parts.count == 1 else { throw .usage("\(name) takes no value.") }
            isNew = flags.insert(name).inserted
        } else {
            let value = parts.count == 2 ? parts[1] : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw .usage("\(name) needs a value.")
            }
            isNew = self.options.updateValue(value, forKey: name) == nil
        }
        guard isNew else { throw .usage("\(name) is given twice.") }
    }

    private func check(for command: Command, of program: Program, words: [String]) throws(CommandError) {
        let help = "See: \(([program.name] + command.words).joined(separator: " ")) --help"
        let known = program.options + command.options
        for option in flags.union(options.keys).sorted() where !known.contains(where: { $0.name == option }) {
            throw .usage("There is no option \(option) here. \(help)")
        }
        if let missing = command.parameters.dropFirst(parameters.count).first(where: { !$0.hasPrefix("[") }) {
            throw .usage("\(missing) is missing. \(help)")
        }
        let repeats = command.parameters.last?.contains("…") ?? false
        if parameters.count > command.parameters.count, !repeats {
            let meant = program.command(resembling: words).map { " Did you mean '\($0)'?" } ?? ""
            throw .usage("'\(parameters[command.parameters.count])' is one argument too many.\(meant) \(help)")
        }
    }
}
