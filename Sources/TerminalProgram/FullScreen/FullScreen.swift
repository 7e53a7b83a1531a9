import Foundation

/// The whole terminal, which shows one page at a time and receives keys.
@MainActor
package final class FullScreen {
    private let events: AsyncStream<TerminalEvent>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let reader: KeyReader
    private let allowedStyles: Style
    /// The page that is shown.
    private(set) var page = Page(title: "", body: [], keys: [])
    /// A line above the keys of the pages that have no message, such as the state of a connection.
    package var footnote: String? { didSet { if footnote != oldValue { reportChange() } } }
    /// The number of activities that have begun or ended.
    var activities = 0
    var deletions = RowDeletions()
    /// The content of each line of the terminal; empty if unknown.
    private var shown: [String] = []

    /// Takes over the terminal until `close()`.
    ///
    /// - Parameters:
    ///   - mouse: Whether the program uses the mouse.
    ///   - isEndedByInterrupt: Whether Ctrl-C ends the process. Otherwise the program handles the signal itself.
    /// - Returns: `nil` if input and output are not a terminal that can move its cursor.
    /// - Throws: An error if the system refuses the thread that reads keys.
    package init?(console: Console, mouse: Bool = false, isEndedByInterrupt: Bool = true) throws(CommandError) {
        guard console.canShowFullScreen, TerminalSize.current != nil,
            TerminalMode.prepare(for: .fullScreen(mouse: mouse))
        else { return nil }
        let wake = Pipe()
        (events, continuation) = AsyncStream.makeStream()
        allowedStyles = console.hasColors ? Style(rawValue: .max) : Style(rawValue: .max).subtracting(.colors)
        TerminalSignals.install(
            wakingUp: wake.fileHandleForWriting.fileDescriptor, isEndedByInterrupt: isEndedByInterrupt)
        guard let reader = KeyReader(wake: wake.fileHandleForReading, continuation: continuation) else {
            TerminalSignals.uninstall()
            throw CommandError(.failure, "The system refused a thread for the keys.")
        }
        self.reader = reader
        self.wake = wake
        TerminalMode.enter()
    }

    /// Kept open while signals may arrive.
    private let wake: Pipe

    /// Returns the terminal to the shell, or to the program's prompt.
    package func close() {
        TerminalMode.leave()
        TerminalSignals.uninstall()
        reader.stop(wakingUp: wake.fileHandleForWriting)
    }

    /// The size of the terminal.
    package var size: TerminalSize { TerminalSize.current ?? TerminalSize(rows: 24, columns: 80) }

    /// The number of lines that the body of a page can have.
    package var bodyHeight: Int { Page.bodyHeight(in: size) }

    /// Waits for the next event.
    ///
    /// - Throws: ``EndOfInput`` if the terminal is closed, or the person presses Control-D.
    package func next() async throws(EndOfInput) -> TerminalEvent {
        var iterator = events.makeAsyncIterator()
        let event = await iterator.next(isolation: #isolation)
        switch event {
        // The content of the terminal was lost.
        case .resized, .key(.control("l")):
            shown = []
            return .resized
        case .changed: return .changed
        case .key(let key):
            if await endDeletion(with: key) { return .changed }
            if key == .control("d") { throw EndOfInput() }
            return .key(key)
        case nil:
            _ = await endDeletion(with: nil)
            throw EndOfInput()
        }
    }

    /// Reports a change of the page's content.
    package nonisolated func reportChange() {
        continuation.yield(.changed)
    }

    /// Shows a page.
    package func draw(_ page: Page) {
        self.page = page
        var page = page
        if page.message == nil, let footnote { (page.message, page.messageStyle) = (footnote, .dim) }
        let size = size
        let lines = withDeletion(page).lines(in: size).map { $0.encoded(allowing: allowedStyles) }
        if shown.count != lines.count { shown = [] }
        // Only lines that differ are sent, which avoids flickering on slow connections.
        var output = shown.isEmpty ? "\u{1B}[?25l\u{1B}[2J" : "\u{1B}[?25l"
        for (row, line) in lines.enumerated() where shown.isEmpty || shown[row] != line {
            output += "\u{1B}[\(row + 1);1H\(line)"
        }
        if let cursor = page.cursor {
            let row = min(size.rows, cursor.row + Page.headerHeight + 1)
            output += "\u{1B}[\(row);\(min(size.columns, cursor.column + 1))H\u{1B}[?25h"
        }
        shown = lines
        _ = StandardStreams.write(Array(output.utf8), to: STDOUT_FILENO)
    }

    /// Shows the page with another message.
    func draw(message: String, style: Style) {
        var page = page
        (page.message, page.messageStyle) = (message, style)
        draw(page)
    }
}
