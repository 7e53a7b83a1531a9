import TerminalProgram

/// The screen that makes a note, or changes the one that it was handed.
struct NoteEditor {
    let note: Note?
    let store: NotesStore
    let console: Console

    /// Shows the screen until the note is saved.
    ///
    /// - Returns: The note as it was saved, or `nil` if the person cancelled.
    func run() async throws(EndOfInput) -> Note? {
        var draft = note.map(Draft.init) ?? Draft()
        var note = note
        console.clear()
        console.write(note == nil ? "New note" : "Edit note")
        while try await console.fill(&draft, current: note?.picture) {
            var isToBeSaved = true
            while isToBeSaved {
                do {
                    return try await save(draft, over: note)
                } catch {
                    console.write("\(error)")
                    isToBeSaved = false
                    guard error.isConflict, let old = note, let newest = await store.note(old.id) else { continue }
                    newest.lines.forEach { console.write("  " + $0) }
                    draft = draft.rebased(from: old, onto: newest)
                    note = newest
                    isToBeSaved = try await console.confirm("Save yours over it?")
                }
            }
        }
        return nil
    }

    private func save(_ draft: Draft, over note: Note?) async throws(NotesError) -> Note {
        try await console.showing("Saving") { progress throws(NotesError) in
            guard let note else { return try await store.add(draft, progress: progress.report) }
            return try await store.change(note, to: draft, progress: progress.report)
        }
    }
}
