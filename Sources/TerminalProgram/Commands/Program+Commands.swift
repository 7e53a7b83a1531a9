extension Program {
    /// The command that the first words call: of `items` and `items add`, the one with more words.
    func command(calledBy words: [String]) throws(CommandError) -> Command {
        let candidates = commands.filter { words.starts(with: $0.words) }
        let longest = candidates.max { $0.words.count < $1.words.count }
        guard let command = words.isEmpty ? withoutCommand : longest else { throw unknownCommand(words) }
        return command
    }

    /// The error for words that call no command.
    func unknownCommand(_ words: [String]) -> CommandError {
        let group = commands.filter { $0.words.count > 1 && $0.words.first == words.first }.map { $0.words[1] }
        let meant = command(resembling: words)
        guard let last = group.last else {
            return .usage("There is no command '\(words.first ?? "")'. \(hint(meant: meant))")
        }
        let others = group.dropLast().joined(separator: ", ")
        let choice =
            "'\(words[0])' is followed by \(others.isEmpty ? "" : others + " or ")\(last). See: \(name) \(words[0]) --help"
        if words.count == 1 { return .usage(choice) }
        return .usage("There is no command '\(words[0]) \(words[1])'. \(meant == nil ? choice : hint(meant: meant))")
    }

    /// The command that was probably meant.
    func command(resembling words: [String]) -> String? {
        let lengths = Set(commands.map(\.words.count)).filter { $0 <= words.count }.sorted(by: >)
        return lengths.lazy.compactMap { length in
            let names = commands.filter { $0.words.count == length }.map { $0.words.joined(separator: " ") }
            let typed = words.prefix(length).joined(separator: " ")
            // An existing command is not misspelled.
            return names.contains(typed) ? nil : typed.nearest(of: names)
        }.first
    }

    /// The recommendation after an unknown word.
    func hint(meant: String?) -> String {
        meant.map { "Did you mean '\($0)'?" } ?? "See: \(name) --help"
    }
}
