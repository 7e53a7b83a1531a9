import Foundation

/// Where a program writes, and what it reads.
package struct Console: Sendable {
    /// Whether a person looks at the output, and not a file or another program.
    package let isTerminal = isatty(STDOUT_FILENO) == 1

    private let input = Input()

    /// Whether a person looks at the output, and types the input.
    package var isInteractive: Bool { isTerminal && input.isTerminal }

    /// Writes a line.
    package func write(_ line: String = "") {
        write(raw: line + "\n")
    }

    /// Writes a line to the errors.
    package func writeError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes rows: their columns aligned for a person, separated by tabs for a program.
    package func write(rows: [[String]]) {
        guard isTerminal else { return rows.forEach { write($0.joined(separator: "\t")) } }
        rows.aligned().forEach { write($0) }
    }

    /// Begins a screen: on a terminal an empty one, else after an empty line.
    package func clear() {
        write(raw: isTerminal ? "\u{1B}[2J\u{1B}[H" : "\n")
    }

    /// Asks for a line.
    ///
    /// - Throws: ``EndOfInput`` if there is none.
    package func ask(_ prompt: String) async throws(EndOfInput) -> String {
        // Typed text ends the prompt's line. Text from a pipe is not seen, so the prompt ends its line itself.
        write(raw: isInteractive ? prompt + " " : prompt + "\n")
        return try await input.line()
    }

    /// Asks whether to do what cannot be undone.
    package func confirm(_ question: String) async throws(EndOfInput) -> Bool {
        let answer = try await ask("\(question) (y/N)").lowercased()
        return answer == "y" || answer == "yes"
    }

    /// The next line, for which nobody is asked.
    ///
    /// - Throws: ``EndOfInput`` if there is none.
    package func line() async throws(EndOfInput) -> String {
        try await input.line()
    }

    /// The lines that are left in the input.
    package func remainingLines() async -> [String] {
        var lines: [String] = []
        while let line = try? await input.line() { lines.append(line) }
        return lines
    }

    /// Writes text as it is.
    func write(raw text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
