import Foundation

/// Where the program writes, and what it reads.
struct Console: Sendable {
    /// Whether a person looks at the output, and not a file or another program.
    let isTerminal = isatty(STDOUT_FILENO) == 1

    private let input = Input()

    /// Writes a line.
    func write(_ line: String = "") {
        write(raw: line + "\n")
    }

    /// Writes a line to the errors.
    func writeError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes rows: their columns aligned for a person, separated by tabs for a program.
    func write(rows: [[String]]) {
        guard isTerminal else { return rows.forEach { write($0.joined(separator: "\t")) } }
        rows.aligned().forEach { write($0) }
    }

    /// Begins a screen: on a terminal an empty one, else after an empty line.
    func clear() {
        write(raw: isTerminal ? "\u{1B}[2J\u{1B}[H" : "\n")
    }

    /// Asks for a line.
    ///
    /// - Throws: ``EndOfInput`` if there is none.
    func ask(_ prompt: String) async throws(EndOfInput) -> String {
        // Typed text ends the prompt's line. Text from a pipe is not seen, so the prompt ends its line itself.
        let isTyped = isTerminal && input.isTerminal
        write(raw: isTyped ? prompt + " " : prompt + "\n")
        return try await input.line()
    }

    /// The lines that are left in the input.
    func remainingLines() async -> [String] {
        var lines: [String] = []
        while let line = try? await input.line() { lines.append(line) }
        return lines
    }

    /// Writes text as it is.
    func write(raw text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}

extension [[String]] {
    /// The rows as lines, each column as wide as its longest text.
    func aligned() -> [String] {
        var widths: [Int] = []
        for row in self {
            for (column, text) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = Swift.max(widths[column], text.count)
            }
        }
        return map { row in
            let columns = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return columns.joined(separator: "  ").trimmingSuffix(while: \.isWhitespace)
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        String(self[..<(lastIndex { !predicate($0) }.map(index(after:)) ?? startIndex)])
    }
}
