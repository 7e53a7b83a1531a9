import Foundation

/// The input and output of a program.
package struct Console: Sendable {
    /// Whether the output goes to a terminal, and not to a file or another program.
    package let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether the terminal understands codes that move the cursor or change the style.
    private let understandsCodes: Bool

    /// Whether the person allows colors, see https://no-color.org.
    let hasColors: Bool

    private let input = Input()

    /// Examines the terminal.
    ///
    /// - Parameter isPlain: Whether the person asked for text alone.
    init(isPlain: Bool = false) {
        let environment = ProcessInfo.processInfo.environment
        let isDumb = environment["TERM"].map { $0.isEmpty || $0 == "dumb" } ?? true
        understandsCodes = isTerminal && !isDumb && !isPlain
        hasColors = understandsCodes && environment["NO_COLOR", default: ""].isEmpty
    }

    /// Whether the console can show whole screens, with keys to operate them.
    var canShowFullScreen: Bool { isInteractive && understandsCodes }

    /// The columns of the terminal; `nil` for a file or a pipe, which are unlimited.
    package var columns: Int? { isTerminal ? TerminalSize.current?.columns : nil }

    /// The number of rows to show at a time.
    package var pageHeight: Int { isTerminal ? max(5, (TerminalSize.current?.rows ?? 24) - 8) : 100 }

    /// The text in a style, if the output shows styles.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColors ? style.applied(to: text) : text
    }

    /// Whether a line can be replaced by another.
    var canReplaceLines: Bool { understandsCodes }

    /// Whether both input and output are a terminal.
    package var isInteractive: Bool { isTerminal && input.isTerminal }

    /// Writes a line.
    package func write(_ line: String = "") {
        write(raw: line + "\n")
    }

    /// Writes lines to the errors, without characters that a terminal would interpret.
    package func writeError(_ text: String) {
        let line = text.printableLines
        let text = hasColors && isatty(STDERR_FILENO) == 1 ? Style.red.applied(to: line) : line
        _ = StandardStreams.write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes rows: their columns aligned for a person, separated by tabs for a program.
    ///
    /// Characters that a terminal would interpret are escaped.
    package func write(rows: [[String]]) {
        let rows = rows.map { $0.map(\.printable) }
        let lines = isTerminal ? rows.aligned(toColumns: columns) : rows.map { $0.joined(separator: "\t") }
        // One write, for any number of rows.
        if !lines.isEmpty { write(lines.joined(separator: "\n")) }
    }

    /// Writes rows, indented on a screen of lines.
    package func write(indented rows: [[String]]) {
        rows.map { $0.map(\.printable) }.aligned(toColumns: columns.map { $0 - 2 }).forEach { write("  " + $0) }
    }

    /// Begins a screen: an empty one on a terminal, otherwise after an empty line.
    package func clear() {
        write(raw: understandsCodes ? "\u{1B}[2J\u{1B}[H" : "\n")
    }

    /// Writes a help text, with its headings in bold.
    package func write(help: String) {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for line in lines { write(line.hasSuffix(":") && line.first != " " ? styled(line, .bold) : line) }
    }

    /// Writes the title of a screen.
    package func write(title: String) {
        write(styled(title.printable.truncated(toColumns: columns ?? .max), [.bold, .cyan]))
        write()
    }

    /// Asks for a line.
    ///
    /// - Throws: ``EndOfInput`` if the input has ended.
    package func ask(_ prompt: String) async throws(EndOfInput) -> String {
        // Typed text ends the prompt's line. Text from a pipe is not seen, so the prompt ends its line itself.
        write(raw: isInteractive ? prompt + " " : prompt + "\n")
        return try await line()
    }

    /// Asks whether to perform an irreversible action.
    package func confirm(_ question: String) async throws(EndOfInput) -> Bool {
        let answer = try await ask("\(question) (y/N)").lowercased()
        return answer == "y" || answer == "yes"
    }

    /// The next line that a person types, without a prompt.
    ///
    /// - Throws: ``EndOfInput`` if the input has ended.
    package func line() async throws(EndOfInput) -> String {
        guard let line = try? await input.line() else { throw EndOfInput() }
        return String(decoding: line, as: UTF8.self)
    }

    /// The next line of data; `nil` at the end of the input.
    ///
    /// - Throws: An error if the input cannot be read, or is not UTF-8.
    package func nextLine() async throws(CommandError) -> String? {
        guard let line = try await input.line() else { return nil }
        guard let text = String(validating: line, as: UTF8.self) else { throw .usage("The input is not UTF-8.") }
        return text
    }

    /// The remaining lines of the input.
    ///
    /// - Throws: An error if the input cannot be read, or is not UTF-8.
    package func remainingLines() async throws(CommandError) -> [String] {
        var lines: [String] = []
        while let line = try await nextLine() { lines.append(line) }
        return lines
    }

    /// Shows the state of an activity on a line of its own, which it replaces.
    func write(progress: String) {
        write(raw: understandsCodes ? "\r\(progress)\u{1B}[K" : "")
    }

    /// Writes text without a line break.
    ///
    /// A program whose output is lost ends, as one does whose reader has closed the pipe.
    func write(raw text: String) {
        guard let error = StandardStreams.write(Array(text.utf8), to: STDOUT_FILENO).error else { return }
        writeError("The output cannot be written: \(String(cString: strerror(error))).")
        exit(ExitCode.failure.rawValue)
    }
}
