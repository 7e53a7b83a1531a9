import TerminalProgram

/// The first screen, for terminals and pipes that know only lines: all notes.
struct NotesPrompt {
    private let store: NotesStore
    private let console: Console
    private var pages: Pages
    private var search = RowSearch()
    /// The note whose deletion waits for the next line.
    private var deletion: (note: Note, waiting: WaitingDeletion)?
    /// The reason that rows are missing.
    private var status: String?
    /// The result of the last choice, if there is one to show.
    private var notice: String?

    init(store: NotesStore, console: Console) {
        self.store = store
        self.console = console
        pages = Pages(height: console.pageHeight)
    }

    /// Shows the notes until the person leaves.
    ///
    /// The list includes notes that the screens below have saved or deleted: the store keeps them, and nothing is
    /// fetched.
    mutating func run() async throws(EndOfInput) {
        await fetch()
        while true {
            let notes = search.found(in: await store.notes.filter { $0.id != deletion?.note.id }, \.shownTitle)
            show(notes)
            notice = nil
            let choice = try await console.choose(rows: notes.count, ending: deletion?.waiting)
            deletion = nil
            switch choice {
            case .open(let row): try await open(notes[row])
            case .edit(let row): try await open(notes[row], editing: true)
            case .add: try await open(nil, editing: true)
            case .delete(let row): delete(notes[row])
            case .search(let text): (search, pages) = (RowSearch(text), Pages(height: console.pageHeight))
            case .undo: break
            case .notDeleted(let error): notice = "\(error)"
            case .refresh: await fetch()
            case .next: pages.next(of: notes.count)
            case .previous: pages.previous()
            case .leave: return
            case .unclear(let hint): notice = hint
            }
        }
    }

    private func show(_ notes: [Note]) {
        console.clear()
        console.write(title: "Notes")
        let rows = pages.rows(of: notes.count).map { index in
            let note = notes[index]
            return ["\(index + 1).", note.shownTitle, note.date(for: console), note.shownDimensions, note.shownSize]
        }
        console.write(indented: rows)
        if let status { console.write(status) } else if notes.isEmpty { console.write(Sentence.noNotes.rawValue) }
        for line in [search.lines.status, notice, deletion?.waiting.message] { if let line { console.write(line) } }
        console.write()
        let keys = notes.isEmpty ? [] : ["1 open", "e 1 edit", "d 1 delete"]
        let others = ["a new note", "r refresh", search.lines.hint] + pages.hints(of: notes.count) + ["q quit"]
        let undo = deletion == nil ? [] : [WaitingDeletion.hint]
        console.write((undo + keys + others).joined(separator: "   "))
    }

    private mutating func delete(_ note: Note) {
        deletion = (note, WaitingDeletion(of: note.shownTitle) { [store] in try await store.delete(note) })
    }

    private mutating func fetch() async {
        do {
            try await console.showing("Fetching") { try await store.fetch() }
            status = nil
        } catch {
            status = "\(error)"
        }
    }

    private mutating func open(_ note: Note?, editing: Bool = false) async throws(EndOfInput) {
        var prompt = NotePrompt(note: note, store: store, console: console)
        notice = try await prompt.run(editing: editing)
        if prompt.isDeleting, let note = prompt.note { delete(note) }
    }
}
