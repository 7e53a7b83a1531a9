/// Scripts that complete a program's commands and options in a shell.
package enum Completion: String, CaseIterable, Sendable {
    case bash
    case zsh

    /// Returns the script for a program, to be loaded by the shell.
    package func script(for program: Program) -> String {
        let function = "_" + program.name.map { $0.isLetter ? String($0) : "_" }.joined()
        return switch self {
        case .bash: Self.bash(program, function)
        case .zsh:
            // zsh runs functions written for bash.
            "#compdef \(program.name)\nautoload -U +X bashcompinit && bashcompinit\n" + Self.bash(program, function)
        }
    }

    private static func bash(_ program: Program, _ function: String) -> String {
        let common = program.options.map(\.name)
        let groups = Set(program.commands.filter { $0.words.count > 1 }.map { $0.words[0] }).sorted()
        var cases = program.commands.sorted { $0.words.count > $1.words.count }.map { command in
            "        \"\(command.words.joined(separator: " ")) \"*) words=\"\((command.options.map(\.name) + common).joined(separator: " "))\" ;;"
        }
        cases += groups.map { group in
            let words = program.commands.filter { $0.words.count > 1 && $0.words[0] == group }.map { $0.words[1] }
            return "        \"\(group) \"*) words=\"\(words.joined(separator: " "))\" ;;"
        }
        var first: [String] = []
        for command in program.commands where !first.contains(command.words[0]) { first.append(command.words[0]) }
        return """
            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" words
                case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in
            \(cases.joined(separator: "\n"))
                    *) words="\((first + common).joined(separator: " "))" ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -o default -F \(function) \(program.name)
            """
    }
}
