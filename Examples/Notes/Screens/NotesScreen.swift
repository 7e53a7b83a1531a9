import TerminalProgram

/// The first screen: all notes.
struct NotesScreen {
    private let store: NotesStore
    private let console: Console
    private let isVerbose: Bool
    /// Why there are no rows, or not all.
    private var status: String?
    /// What became of the last choice, if anything is to be said about it.
    private var notice: String?

    init(store: NotesStore, console: Console, isVerbose: Bool) {
        self.store = store
        self.console = console
        self.isVerbose = isVerbose
    }

    /// Shows the notes until the person leaves.
    ///
    /// What the screens below save or delete is in its place when they return: the store keeps it, and nothing is fetched.
    mutating func run() async throws(EndOfInput) {
        await fetchChanges()
        while true {
            let notes = await store.notes
            show(notes)
            notice = nil
            switch Choice(try await console.ask(">"), rows: notes.count) {
            case .open(let row): try await open(notes[row])
            case .edit(let row): try await open(notes[row], editing: true)
            case .add: try await open(nil, editing: true)
            case .delete(let row): notice = try await console.delete(notes[row], from: store).failure
            case .refresh: await fetchChanges()
            case .leave: return
            case .unclear(let hint): notice = hint
            }
        }
    }

    private func show(_ notes: [Note]) {
        console.clear()
        console.write("Notes")
        console.write()
        let rows = notes.enumerated().map { index, note in
            ["\(index + 1).", note.shownTitle, note.shownDate, note.shownDimensions, note.shownSize]
        }
        rows.aligned().forEach { console.write("  " + $0) }
        if let status { console.write(status) } else if notes.isEmpty { console.write(Sentence.noNotes.rawValue) }
        if let notice { console.write(notice) }
        console.write()
        console.write((notes.isEmpty ? "" : "1 open   e 1 edit   d 1 delete   ") + "a new note   r refresh   q quit")
    }

    private mutating func fetchChanges() async {
        do {
            let report = try await console.showing("Fetching") { try await store.fetchChanges() }
            status = nil
            if isVerbose { notice = "\(report)" }
        } catch {
            status = "\(error)"
        }
    }

    private mutating func open(_ note: Note?, editing: Bool = false) async throws(EndOfInput) {
        var screen = NoteScreen(note: note, store: store, console: console)
        notice = try await screen.run(editing: editing)
    }
}
