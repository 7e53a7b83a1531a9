import Foundation
import TerminalProgram

/// The screen of one note, for terminals and pipes that know only lines.
///
/// Saving does not close it.
struct NotePrompt {
    /// The note, or `nil` for one that was not saved yet.
    private(set) var note: Note?
    private let store: NotesStore
    private let console: Console
    /// The result of the last choice, if there is one to show.
    private var notice: String?
    /// Whether the person has chosen to delete the note, which the screen below does.
    private(set) var isDeleting = false

    init(note: Note?, store: NotesStore, console: Console) {
        self.note = note
        self.store = store
        self.console = console
    }

    /// Shows the note until the person goes back.
    ///
    /// - Parameter editing: Whether it begins with the editor.
    /// - Returns: A message for the screen below, or `nil`.
    mutating func run(editing: Bool) async throws(EndOfInput) -> String? {
        if editing { try await edit() }
        while let shown = note {
            show(shown)
            notice = nil
            switch try await console.ask(">").trimmed.lowercased() {
            case "e": try await edit()
            case "p": try await writePicture(of: shown)
            case "d":
                isDeleting = true
                return nil
            case "q": return nil
            default: notice = "Choose one of these."
            }
        }
        return notice
    }

    private func show(_ note: Note) {
        console.clear()
        note.lines(for: console).forEach { console.write($0) }
        console.write()
        if let notice { console.write(notice) }
        console.write("e edit   p write the picture to a file   d delete   q back")
    }

    private mutating func edit() async throws(EndOfInput) {
        if let saved = try await NoteQuestions(note: note, store: store, console: console).run() {
            note = saved
            notice = "Saved."
        } else if let id = note?.id {
            // During the editing, another device may have changed or deleted it.
            note = await store.note(id)
            if note == nil { notice = "Another device has deleted the note." }
        }
    }

    private mutating func writePicture(of note: Note) async throws(EndOfInput) {
        let path = try await console.ask("A file for the picture, or . to cancel:").trimmed
        if path.isEmpty || path == "." { return }
        do {
            try await store.writePicture(of: note, to: URL(filePath: path.expandingHome))
            notice = "The picture is in \(path.printable)."
        } catch {
            notice = "\(error)"
        }
    }
}
