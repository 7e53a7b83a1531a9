import Foundation
import TerminalProgram

extension Console {
    /// Asks for every part of a note, and asks again for missing parts.
    ///
    /// - Parameter current: The note's current picture.
    /// - Returns: Whether to save the note; `false` if the person cancelled.
    func fill(_ draft: inout Draft, current: Picture?) async throws(EndOfInput) -> Bool {
        guard let title = try await askTitle(current: draft.title) else { return false }
        draft.title = title
        guard let text = try await askText(current: draft.text) else { return false }
        draft.text = text
        guard let picture = try await askPicture(current: current, chosen: draft.picture) else { return false }
        draft.picture = picture
        return true
    }

    private func askTitle(current: String) async throws(EndOfInput) -> String? {
        let hint = current.isBlank ? "Title, or . to cancel:" : "Title [\(current.printable)], or . to cancel:"
        while true {
            let typed = try await ask(hint).trimmed
            if typed == "." { return nil }
            if !typed.isEmpty { return typed }
            if !current.isBlank { return current }
            write("A note needs a title.")
        }
    }

    /// Asks for lines, up to an empty one.
    private func askText(current: String) async throws(EndOfInput) -> String? {
        let hint = current.isBlank ? "" : ", Enter alone to keep it"
        while true {
            var typed = try await ask("Text, an empty line ends it\(hint), or . to cancel:")
            if typed == "." { return nil }
            var lines: [String] = []
            while !typed.isEmpty {
                lines.append(typed)
                typed = try await line()
            }
            let text = lines.joined(separator: "\n")
            if !text.isBlank { return text }
            if !current.isBlank { return current }
            write("A note needs a text.")
        }
    }

    private func askPicture(current: Picture?, chosen: PictureChoice) async throws(EndOfInput) -> PictureChoice? {
        let hint: String
        switch (chosen, current) {
        case (.file(let file), _):
            hint = "Picture [\(file.lastPathComponent.printable)]: a file, Enter to keep it, - for none,"
        case (.unchanged, let current?):
            let dimensions = current.header?.dimensions ?? "not readable"
            hint = "Picture [\(dimensions)]: a file, Enter to keep it, - to remove it,"
        case (.unchanged, nil), (.standard, _): hint = "Picture: a file, Enter for the default one,"
        }
        while true {
            let typed = try await ask("\(hint) or . to cancel:").trimmed
            switch typed {
            case ".": return nil
            case "": return chosen
            case "-": return .standard
            default:
                do {
                    return try .checked(URL(filePath: typed.expandingHome))
                } catch {
                    write("\(error)")
                }
            }
        }
    }
}
