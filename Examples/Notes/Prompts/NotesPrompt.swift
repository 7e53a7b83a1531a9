import TerminalProgram

/// The first screen, for terminals and pipes that know only lines: all notes.
struct NotesPrompt {
    private let store: NotesStore
    private let console: Console
    private let isVerbose: Bool
    private var pages: Pages
    /// The reason that rows are missing.
    private var status: String?
    /// The result of the last choice, if there is one to show.
    private var notice: String?

    init(store: NotesStore, console: Console, isVerbose: Bool) {
        self.store = store
        self.console = console
        self.isVerbose = isVerbose
        pages = Pages(height: console.pageHeight)
    }

    /// Shows the notes until the person leaves.
    ///
    /// The list includes notes that the screens below have saved or deleted: the store keeps them, and nothing is
    /// fetched.
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
        if let notice { console.write(notice) }
        console.write()
        let keys = notes.isEmpty ? [] : ["1 open", "e 1 edit", "d 1 delete"]
        let all = keys + ["a new note", "r refresh"] + pages.hints(of: notes.count) + ["q quit"]
        console.write(all.joined(separator: "   "))
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
        var prompt = NotePrompt(note: note, store: store, console: console)
        notice = try await prompt.run(editing: editing)
    }
}
