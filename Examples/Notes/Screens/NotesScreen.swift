import Cabinet
import TerminalProgram

/// The first screen: all notes.
@MainActor
struct NotesScreen {
    private let store: NotesStore
    private let screen: FullScreen
    private let notes: LiveNotes
    private var rows = RowList<RecordID>()
    private var search = RowSearch()
    /// The result of the last key, if there is one to show.
    private var message: String?

    /// Shows the notes until the person leaves.
    static func show(_ store: NotesStore, on screen: FullScreen) async throws(EndOfInput) {
        var message: String?
        do throws(NotesError) {
            try await screen.showing("Fetching") { _ throws(NotesError) in try await store.fetch() }
        } catch {
            message = "\(error)"
        }
        var notes = NotesScreen(store: store, screen: screen, message: message)
        try await notes.run()
    }

    private init(store: NotesStore, screen: FullScreen, message: String?) {
        self.store = store
        self.screen = screen
        self.message = message
        notes = LiveNotes(store: store, screen: screen)
    }

    private mutating func run() async throws(EndOfInput) {
        await notes.refresh()
        while true {
            show()
            guard case .key(let key) = try await screen.next() else { continue }
            message = nil
            if search.handle(key) || rows.handle(key) { continue }
            switch key {
            case .enter, .right: if let note = selected { try await open(note) }
            case .character("e"): if let note = selected { try await open(note, editing: true) }
            case .character("a"): try await open(nil, editing: true)
            case .character("d"), .delete:
                if let note = selected {
                    rows.selectLater(note.id)
                    screen.delete(note, of: notes, from: store)
                }
            case .character("r"): notes.restart()
            case .character("q"): return
            default: break
            }
            await notes.refresh()
        }
    }

    private var selected: Note? { rows.selection.flatMap { notes[$0] } }

    private mutating func show() {
        let shown = search.found(in: screen.remaining(notes.notes)) { "\($0.title) \($0.text)" }
        rows.update(shown.map(\.id))
        rows.resize(toHeight: screen.bodyHeight - search.height)
        let visible = shown[rows.visible]
        var page = Page(
            title: "Notes", status: rows.status, body: body(visible), message: notes.failure ?? message,
            keys: (visible.isEmpty ? [] : [("Enter", "open"), ("e", "edit"), ("d", "delete")])
                + [("a", "new note"), ("/", "search"), ("q", "quit")])
        search.show(on: &page, in: screen.size)
        screen.draw(page)
    }

    private func body(_ visible: ArraySlice<Note>) -> [StyledText] {
        if visible.isEmpty { return [StyledText("  \(Sentence.noNotes.rawValue)", .dim)] }
        let texts = visible.map { [$0.shownTitle, $0.shownDate, $0.shownDimensions, $0.shownSize] }
        let layout = RowLayout(texts, width: screen.size.columns)
        return zip(rows.visible, texts).map { layout.line($1, isSelected: $0 == rows.position) }
    }

    private mutating func open(_ note: Note?, editing: Bool = false) async throws(EndOfInput) {
        var detail = NoteScreen(note: note, notes: notes, store: store, screen: screen)
        message = try await detail.run(editing: editing)
        if let id = detail.noteID { rows.selectLater(id) }
    }
}

extension FullScreen {
    /// Deletes a note with the next key.
    func delete(_ note: Note, of notes: LiveNotes, from store: NotesStore) {
        delete(note.id, named: note.shownTitle) {
            try await store.delete(note)
            await notes.refresh()
        }
    }
}
