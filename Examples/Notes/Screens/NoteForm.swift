import ExampleSupport
import Foundation
import TerminalProgram

/// The screen that creates a note, or changes the given one.
@MainActor
struct NoteForm {
    private let note: Note?
    private let notes: LiveNotes
    private let store: NotesStore
    private let screen: FullScreen
    private var form: Form
    private var decisions: Decisions = [:]
    /// The reason that the last save failed.
    private var failure: String?

    /// The way in which the form was closed.
    enum Ending {
        case saved(Note)
        case cancelled
        case deleted
    }

    init(note: Note?, notes: LiveNotes, store: NotesStore, screen: FullScreen) {
        self.note = note
        self.notes = notes
        self.store = store
        self.screen = screen
        let picture =
            note == nil ? "a file; without one, the default picture" : "another file, or - to remove the picture"
        form = Form([
            .line("Title", note?.title ?? "", hint: "the title of the note"),
            .text("Text", note?.text ?? "", hint: "the text of the note"),
            .line("Picture", "", hint: picture),
        ])
    }

    /// Shows the screen until the note is saved, or the person cancels.
    mutating func run() async throws(EndOfInput) -> Ending {
        let original = form.texts
        while true {
            show()
            let event = try await screen.next()
            if let note, notes.isDeleted(note.id) { return .deleted }
            guard case .key(let key) = event else { continue }
            failure = nil
            switch form.handle(key) {
            case .editing: break
            case .save: if let ending = try await save() { return ending }
            case .cancel:
                if form.texts == original { return .cancelled }
                if try await screen.confirm("Discard what you typed?") { return .cancelled }
            }
        }
    }

    /// The note as it was typed.
    private var draft: Draft {
        get throws(PictureError) {
            var draft = note.map(Draft.init) ?? Draft()
            (draft.title, draft.text) = (form.texts[0].trimmed, form.texts[1])
            switch form.texts[2].trimmed {
            case "": break
            case "-": draft.picture = .standard
            case let path: draft.picture = try .checked(URL(filePath: path.expandingHome))
            }
            return draft
        }
    }

    private mutating func show() {
        let part = form.lines(rows: screen.bodyHeight, columns: screen.size.columns)
        let isChanged = note.map { old in notes[old.id].map { $0.record != old.record } ?? false } ?? false
        screen.draw(
            Page(
                title: note == nil ? "New note" : "Edit note", body: part.lines,
                message: failure ?? (isChanged ? "Another device has changed the note in the meantime." : nil),
                keys: [("Ctrl-S", "save"), ("Tab", "next field"), ("Esc", "cancel")], cursor: part.cursor))
    }

    private mutating func save() async throws(EndOfInput) -> Ending? {
        let draft: Draft
        do throws(PictureError) {
            draft = try self.draft
        } catch {
            failure = "\(error)"
            return nil
        }
        failure = draft.missing
        return failure == nil ? try await save(draft) : nil
    }

    private mutating func save(_ draft: Draft) async throws(EndOfInput) -> Ending? {
        do throws(NotesError) {
            return .saved(
                try await screen.showing("Saving") { [decisions, note, store] progress throws(NotesError) in
                    guard let note else { return try await store.add(draft, progress: progress.report) }
                    return try await store.change(note, to: draft, decisions: decisions, progress: progress.report)
                })
        } catch {
            if error.isDeletion { return .deleted }
            guard let conflict = error.conflict else {
                failure = "\(error)"
                return nil
            }
            show()
            let choice = try await screen.choose(conflict.localizedDescription, Preference.choices)
            guard let preference = choice.flatMap(Preference.init) else { return nil }
            decisions[conflict.conflict] = preference
            return try await save(draft)
        }
    }
}
