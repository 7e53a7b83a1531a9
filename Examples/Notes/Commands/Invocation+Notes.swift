import Cabinet
import ExampleSupport
import Foundation
import TerminalProgram

extension Invocation {
    /// Opens the requested store.
    ///
    /// - Parameter syncs: Whether a mirror fetches and sends by itself.
    func openStore(syncs: Bool = true) throws -> NotesStore {
        try NotesStore(store, mirroring: mirroredServer, syncs: syncs)
    }

    /// Runs a closure with the store, after fetching the notes, and closes the store.
    ///
    /// - Parameter syncs: Whether a mirror fetches and sends while the closure runs; otherwise before and after it.
    func withStore(syncs: Bool = false, _ work: (NotesStore) async throws -> Void) async throws {
        let store = try openStore(syncs: syncs)
        do {
            if !syncs { _ = await store.container.exchange() }
            try await store.fetch()
            try await work(store)
            if !syncs, let text = await store.container.exchange() { console.writeError(text) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The note that the first parameter names.
    func note(in store: NotesStore) async throws -> Note {
        let text = try parameter(0)
        let matches = await store.notes.filter { $0.title == text || $0.id.recordName == text || $0.number == text }
        guard let note = matches.first else { throw CommandError(.notFound, "There is no note '\(text)'.") }
        guard matches.count == 1 else {
            let recordNames = matches.map { "\n  \($0.id.recordName.printable)" }.joined()
            throw CommandError(
                .ambiguous,
                "Several notes have the title or number '\(text)'. Name the note by its record name:\(recordNames)")
        }
        return note
    }

    /// Fills a draft from the options: title, text, and a file with a picture.
    func fill(_ draft: inout Draft) async throws {
        if let title = arguments.options[Option.title] { draft.title = title.trimmed }
        if let text = arguments.options[Option.text] {
            draft.text = text == "-" ? try await console.remainingLines().joined(separator: "\n") : text
        }
        if let path = arguments.options[Option.image] { draft.picture = try .checked(URL(filePath: path)) }
        if let missing = draft.missing { throw CommandError.usage(missing) }
    }

    /// Prints notes.
    func show(_ notes: [Note]) {
        console.write(
            rows: notes.map { note in
                let size = console.isTerminal ? note.shownSize : note.picture?.asset.size.map(String.init) ?? "-"
                let name = note.id.recordName.printable
                return [note.shownTitle, note.date(for: console), note.shownDimensions, size, name]
            })
    }
}
