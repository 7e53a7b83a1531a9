/// Scripts that complete a program's commands and options in a shell.
package enum Completion: String, CaseIterable, Sendable {
    case bash
    case zsh

    /// Returns the script for a program, to be loaded by the shell.
    package func script(for program: Program) -> String {
        let function = "_" + program.name.map { $0.isLetter ? String($0) : "_" }.joined()
        return switch self {
        case .bash:
            """
            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" list
                case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in
            \(Self.cases(program))
                esac
                COMPREPLY=($(compgen -W "$list" -- "$current"))
            }
            complete -o default -F \(function) \(program.name)
            """
        case .zsh:
            // As a file in $fpath, the script is the function's body; otherwise it is loaded with source.
            """
            #compdef \(program.name)
            \(function)() {
                local list
                case "${(j: :)words[2,CURRENT-1]} " in
            \(Self.cases(program))
                esac
                compadd -- ${=list} || _files
            }
            if [ "$funcstack[1]" = "\(function)" ]; then \(function) "$@"; else compdef \(function) \(program.name); fi
            """
        }
    }

    /// The words that may follow others, as cases that both shells understand.
    private static func cases(_ program: Program) -> String {
        let common = program.options.map(\.name)
        let groups = Set(program.commands.filter { $0.words.count > 1 }.map { $0.words[0] }).sorted()
        var cases = program.commands.sorted { $0.words.count > $1.words.count }.map { command in
            "        \"\(command.words.joined(separator: " ")) \"*) list=\"\((command.options.map(\.name) + common).joined(separator: " "))\" ;;"
        }
        cases += groups.map { group in
            let words = program.commands.filter { $0.words.count > 1 && $0.words[0] == group }.map { $0.words[1] }
            return "        \"\(group) \"*) list=\"\(words.joined(separator: " "))\" ;;"
        }
        var first: [String] = []
        for command in program.commands where !first.contains(command.words[0]) { first.append(command.words[0]) }
        cases.append("        *) list=\"\((first + common).joined(separator: " "))\" ;;")
        return cases.joined(separator: "\n")
    }
}
