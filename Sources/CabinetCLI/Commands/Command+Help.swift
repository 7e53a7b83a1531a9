import TerminalProgram

extension Command {
    /// Prints a script that completes commands and options.
    static func completion(of program: @escaping @Sendable () -> Program) -> Command {
        Command(
            words: ["completion"], parameters: ["SHELL"],
            summary: "Print a script that completes commands in bash or zsh",
            examples: ["source <(cabinet completion bash)", "cabinet completion zsh > ~/.zfunc/_cabinet"]
        ) { invocation in
            let name = try invocation.parameter(0)
            guard let shell = Completion(rawValue: name) else {
                throw CommandError.usage("There is no completion for '\(name.printable)'. Use bash or zsh.")
            }
            invocation.console.write(shell.script(for: program()))
        }
    }

    /// Prints the manual page.
    static func manual(of program: @escaping @Sendable () -> Program) -> Command {
        Command(
            words: ["manual"], summary: "Print the manual page, for man",
            examples: ["cabinet manual > cabinet.1 && man -l cabinet.1"]
        ) { invocation in
            invocation.console.write(ManualPage(program()).text)
        }
    }
}
