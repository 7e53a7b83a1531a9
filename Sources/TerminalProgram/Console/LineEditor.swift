import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A prompt on a terminal, whose line can be edited.
package final class LineEditor: Sendable {
    /// Reading blocks a thread until the person types, so it uses a dedicated one.
    private let queue = DispatchQueue(label: "com.example.prompt")
    private let console: Console
    /// The keys after the last line that were read with pasted text.
    private let typed = Mutex<[Key]>([])

    /// Creates a prompt; `nil` if input and output are not a terminal that can move its cursor.
    package init?(console: Console) {
        guard console.canShowFullScreen else { return nil }
        self.console = console
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - prompt: The text before the line.
    ///   - history: Earlier lines, the oldest first.
    ///   - candidates: Returns the words that may stand at the end of a line.
    /// - Throws: ``EndOfInput`` if the person presses Control-D on an empty line, or closes the terminal.
    package func line(
        prompt: String, history: [String], candidates: @escaping @Sendable (String) -> [String]
    ) async throws(EndOfInput) -> String {
        let line = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read(prompt, history, candidates)) }
        }
        guard let line else { throw EndOfInput() }
        return line
    }

    private func read(_ prompt: String, _ history: [String], _ candidates: (String) -> [String]) -> String? {
        guard TerminalMode.prepare(for: .line) else { return nil }
        // Another program may end this one. Control-C is a key here.
        TerminalSignals.install(wakingUp: nil, isEndedByInterrupt: false)
        TerminalMode.enter()
        defer {
            TerminalMode.leave()
            TerminalSignals.uninstall()
        }
        var editing = LineEditing(history: history)
        var decoder = KeyDecoder()
        var next = typed.withLock { keys in
            defer { keys = [] }
            return keys[...]
        }
        draw(prompt, editing)
        while true {
            if next.isEmpty {
                guard let keys = keys(&decoder) else { return nil }
                next = keys[...]
            }
            while let key = next.popFirst() {
                switch editing.handle(key) {
                case .editing: break
                case .done(let line):
                    typed.withLock { $0 = Array(next) }
                    console.write(raw: "\r\n")
                    return line
                case .cleared:
                    console.write(raw: "^C\r\n")
                    editing = LineEditing(history: history)
                case .end:
                    console.write(raw: "\r\n")
                    return nil
                case .complete:
                    let words = editing.complete(with: candidates(editing.field.text))
                    if !words.isEmpty { console.write(raw: "\r\n" + words.joined(separator: "  ") + "\r\n") }
                }
            }
            draw(prompt, editing)
        }
    }

    /// The keys of the next bytes; `nil` at the end of the input.
    private func keys(_ decoder: inout KeyDecoder) -> [Key]? {
        var source = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Escape alone is a key if nothing follows it.
        let timeout: Int32 = decoder.isWaiting && !decoder.isInPaste ? 50 : -1
        let count = poll(&source, 1, timeout)
        if count == 0 { return decoder.flush() }
        if count < 0 { return errno == EINTR ? [] : nil }
        // Bytes after the line are for the program that it calls, except those of pasted text, which can be long.
        return KeyReader.read(STDIN_FILENO, limit: decoder.isInPaste ? 4096 : 1).map { decoder.take($0) }
    }

    private func draw(_ prompt: String, _ editing: LineEditing) {
        let width = max(10, (TerminalSize.current?.columns ?? 80) - prompt.columns - 1)
        let visible = editing.field.visible(columns: width)
        let column = prompt.columns + visible.cursor
        let move = column > 0 ? "\u{1B}[\(column)C" : ""
        console.write(raw: "\r\(console.styled(prompt, .bold))\(visible.text)\u{1B}[K\r\(move)")
    }
}
