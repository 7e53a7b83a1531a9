package import Foundation

/// The values that a command was given.
package struct Arguments: Sendable {
    package private(set) var parameters: [String] = []
    package private(set) var options: [String: String] = [:]

    /// The options without a value that are set.
    package private(set) var flags: Set<String> = []

    /// A folder that an option names.
    package func folder(_ option: String) -> URL? {
        options[option].map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    /// What a command line asks for.
    enum Request {
        case help(String)
        case run(Command, Arguments)
    }

    /// Reads a command line.
    static func parse(_ line: [String], for program: Program) throws(CommandError) -> Request {
        var words: [String] = []
        var wantsHelp = false
        var arguments = Arguments()

        var rest = line[...]
        while let word = rest.popFirst(), word != "--" {
            if word == "--help" || word == "-h" {
                wantsHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                try arguments.take(option: word, followedBy: &rest, of: program)
            } else {
                words.append(word)
            }
        }

        if wantsHelp { return .help(try Help(program: program).text(for: words)) }
        let command = try program.command(calledBy: words)
        // What follows `--` is never a command or an option, whatever it looks like.
        arguments.parameters = Array(words.dropFirst(words.isEmpty ? 0 : command.words.count) + rest)
        try arguments.check(for: command, of: program)
        return .run(command, arguments)
    }

    private mutating func take(
        option word: String, followedBy rest: inout ArraySlice<String>, of program: Program
    ) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isNew: Bool
        if program.hasFlag(parts[0]) {
            guard parts.count == 1 else { throw .usage("\(parts[0]) takes no value.") }
            isNew = flags.insert(parts[0]).inserted
        } else {
            let value = parts.count == 2 ? parts[1] : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw .usage("\(parts[0]) needs a value.")
            }
            isNew = options.updateValue(value, forKey: parts[0]) == nil
        }
        guard isNew else { throw .usage("\(parts[0]) is given twice.") }
    }

    private func check(for command: Command, of program: Program) throws(CommandError) {
        let help = "See: \(([program.name] + command.words).joined(separator: " ")) --help"
        let known = program.options + command.options
        for option in flags.union(options.keys).sorted() where !known.contains(where: { $0.name == option }) {
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

extension Option {
    /// The option that every program has.
    static let store = "--store"
}

extension Program {
    /// The command that the first words call: of `items` and `items add`, the one with more words.
    fileprivate func command(calledBy words: [String]) throws(CommandError) -> Command {
        let candidates = commands.filter { words.starts(with: $0.words) }
        let longest = candidates.max { $0.words.count < $1.words.count }
        guard let command = words.isEmpty ? withoutCommand : longest else {
            throw .usage("There is no command '\(words.first ?? "")'. See: \(name) --help")
        }
        return command
    }

    /// Whether there is an option of this name without a value.
    fileprivate func hasFlag(_ name: String) -> Bool {
        (options + commands.flatMap(\.options)).contains { $0.name == name && $0.value == nil }
    }
}
