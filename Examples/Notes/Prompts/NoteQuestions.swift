import ExampleSupport
import TerminalProgram

/// The questions that create a note, or change the given one.
struct NoteQuestions {
    let note: Note?
    let store: NotesStore
    let console: Console

    /// Asks until the note is saved.
    ///
    /// - Returns: The note as it was saved, or `nil` if the person cancelled, or another device has deleted it.
    func run() async throws(EndOfInput) -> Note? {
        var draft = note.map(Draft.init) ?? Draft()
        var decisions: Decisions = [:]
        console.clear()
        console.write(title: note == nil ? "New note" : "Edit note")
        var isAsking = true
        while true {
            if isAsking, try await !console.fill(&draft, current: note?.picture) { return nil }
            isAsking = true
            do throws(NotesError) {
                return try await save(draft, following: decisions)
            } catch {
                console.write("\(error)".printableLines)
                if error.isDeletion { return nil }
                guard let conflict = error.conflict else { continue }
                if let preference = try await console.choosePreference() {
                    decisions[conflict.conflict] = preference
                    isAsking = false
                }
            }
        }
    }

    private func save(_ draft: Draft, following decisions: Decisions) async throws(NotesError) -> Note {
        try await console.showing("Saving") { progress throws(NotesError) in
            guard let note else { return try await store.add(draft, progress: progress.report) }
            return try await store.change(note, to: draft, decisions: decisions, progress: progress.report)
        }
    }
}
