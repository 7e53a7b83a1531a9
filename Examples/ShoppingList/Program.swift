import Foundation

/// The shopping list: screens for a person, commands for a script, one store for both.
@main
struct Program {
    static func main() async {
        let console = Console()
        do {
            switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
            case .help(let text):
                console.write(text)
            case .run(let command, let arguments):
                try await command.run(Invocation(arguments: arguments, console: console))
            }
        } catch {
            console.writeError("\(error)")
            exit(ExitCode(error).rawValue)
        }
    }
}
