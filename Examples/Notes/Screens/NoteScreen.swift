import Cabinet
import Foundation
import TerminalProgram

/// The screen of one note, which saving does not close.
@MainActor
struct NoteScreen {
    /// The note, or `nil` for one that was not saved yet.
    private var note: Note?
    private let notes: LiveNotes
    private let store: NotesStore
    private let screen: FullScreen
    private var firstLine = 0
    /// The result of the last key, if there is one to show.
    private var message: String?

    init(note: Note?, notes: LiveNotes, store: NotesStore, screen: FullScreen) {
        self.note = note
        self.notes = notes
        self.store = store
        self.screen = screen
    }

    /// The note that is shown, or was created.
    var noteID: RecordID? { note?.id }

    /// Shows the note until the person goes back.
    ///
    /// - Parameter editing: Whether it begins with the form.
    /// - Returns: A message for the screen below, or `nil`.
    mutating func run(editing: Bool) async throws(EndOfInput) -> String? {
        if editing { try await edit() }
        while let shown = note {
            if notes.isDeleted(shown.id) { return "'\(shown.shownTitle)' was deleted elsewhere." }
            show(shown)
            guard case .key(let key) = try await screen.next() else {
                note = notes[shown.id] ?? shown
                continue
            }
            message = nil
            switch key {
            case .up: firstLine -= 1
            case .down: firstLine += 1
            case .pageUp: firstLine -= screen.bodyHeight
            case .pageDown, .character(" "): firstLine += screen.bodyHeight
            case .home: firstLine = 0
            case .character("e"), .enter: try await edit()
            case .character("p"): try await writePicture(of: shown)
            case .character("d"), .delete:
                screen.delete(shown, of: notes, from: store)
                return nil
            case .escape, .left, .character("q"): return nil
            default: break
            }
        }
        return message
    }

    private mutating func show(_ note: Note) {
        let (size, height) = (screen.size, screen.bodyHeight)
        let text = note.textLines.flatMap { $0.wrapped(toColumns: size.columns) }.map { StyledText($0) }
        let lines = [StyledText(note.shownPicture, .dim), ""] + text
        firstLine = max(0, min(firstLine, lines.count - height))
        screen.draw(
            Page(
                title: note.shownTitle, status: note.shownDate, body: Array(lines.dropFirst(firstLine)),
                message: message, messageStyle: message == "Saved." ? .green : .yellow,
                keys: [("e", "edit"), ("p", "write the picture to a file"), ("d", "delete"), ("Esc", "back")]))
    }

    private mutating func edit() async throws(EndOfInput) {
        var form = NoteForm(note: note, notes: notes, store: store, screen: screen)
        switch try await form.run() {
        case .saved(let saved):
            (note, message) = (saved, "Saved.")
            await notes.refresh()
        case .cancelled: break
        case .deleted: (note, message) = (nil, "Another device has deleted the note. Nothing was saved.")
        }
    }

    private mutating func writePicture(of note: Note) async throws(EndOfInput) {
        guard let path = try await screen.ask("Write the picture", label: "File", hint: "such as ~/picture.png") else {
            return
        }
        do throws(NotesError) {
            try await store.writePicture(of: note, to: URL(filePath: path.expandingHome))
            message = "The picture is in \(path.printable)."
        } catch {
            message = "\(error)"
        }
    }
}
