/// The manual page of a program, in the format of `man`.
package struct ManualPage: Sendable {
    private let program: Program

    /// Creates the page of a program, from the definitions that its help shows.
    package init(_ program: Program) {
        self.program = program
    }

    /// The page as the source text of `man`.
    package var text: String {
        let options = program.options.map { entry($0.usage, $0.summary) }
        let codes = program.exitCodes.map { entry("\($0.code.rawValue)", $0.meaning) }
        return lines([
            [".TH \(program.name.uppercased()) 1 \"\" \"\(program.name) \(program.version)\""],
            section("NAME", [escaped("\(program.name) - \(program.summary)")]),
            section("SYNOPSIS", [".B \(escaped(program.name))", escaped("COMMAND [ARGUMENTS] [OPTIONS]")]),
            section("DESCRIPTION", program.notes.split(separator: "\n").map { escaped(String($0)) }),
            section("COMMANDS", program.commands.flatMap(entry)),
            section("OPTIONS", options.flatMap { $0 }),
            section("EXIT STATUS", codes.flatMap { $0 }),
        ])
    }

    private func entry(_ command: Command) -> [String] {
        let details = command.details.split(separator: "\n").map { escaped(String($0)) }
        let options = command.options.flatMap { [".br", escaped("\($0.usage): \($0.summary)")] }
        let examples = command.examples.flatMap { [".br", ".B \(escaped($0))"] }
        return [".TP", ".B \(escaped(command.usage))", escaped(command.summary + ".")] + details + options + examples
    }

    private func entry(_ term: String, _ meaning: String) -> [String] {
        [".TP", ".B \(escaped(term))", escaped(meaning)]
    }

    private func section(_ title: String, _ content: [String]) -> [String] { [".SH \(title)"] + content }

    private func lines(_ sections: [[String]]) -> String { sections.joined().joined(separator: "\n") }

    /// The text without characters that the format interprets.
    private func escaped(_ text: String) -> String {
        let escaped = text.map { Self.escapes[$0] ?? String($0) }.joined()
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    /// The characters that end or begin an argument, or that the format shows as others, which a shell does not understand.
    private static let escapes: [Character: String] = [
        "\\": "\\e", "-": "\\-", "\"": "\\(dq", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
    ]
}
