import Cabinet
import CabinetRemote
import Foundation
import TerminalProgram

extension Invocation {
    var isVerbose: Bool { arguments.flags.contains(Option.verbose) }

    /// The requested store.
    func openStore() throws -> NotesStore {
        let store = try store
        return try NotesStore(store, localFolder: arguments.folder(Option.cache) ?? (try localFolder(for: store)))
    }

    /// The default folder of this device's notes.
    private func localFolder(for store: StoreLocation) throws -> URL {
        let cache = StoreFolder.cache(for: program.name)
        switch store {
        case .folder(let folder): return folder
        case .server(let server): return cache.appending(path: server.fileName)
        // The notes of one user are not left to another one.
        case .remote(let server):
            return cache.appending(path: server.fileName(for: try Credentials().userRecordName ?? ""))
        case .cloudKit(let server):
            let user = try CloudKitCredentials().userRecordName ?? ""
            return cache.appending(path: server?.fileName(for: user) ?? "iCloud-\(user)")
        }
    }

    /// Runs a closure with the store, after fetching the latest changes, and closes the store.
    func withStore(_ work: (NotesStore) async throws -> Void) async throws {
        let store = try openStore()
        do {
            let report = try await store.fetchChanges()
            if isVerbose { console.writeError("\(report)") }
            try await work(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The note that the first parameter names.
    func note(in store: NotesStore) async throws -> Note {
        let text = try parameter(0)
        let matches = await store.notes.filter { $0.title == text || $0.id.recordName == text }
        guard let note = matches.first else { throw CommandError(.notFound, "There is no note '\(text)'.") }
        guard matches.count == 1 else {
            let recordNames = matches.map { "\n  \($0.id.recordName.printable)" }.joined()
            throw CommandError(
                .ambiguous, "Several notes have the title '\(text)'. Name the note by its record name:\(recordNames)")
        }
        return note
    }

    /// Fills a draft from the options: title, text, and a file with a picture.
    func fill(_ draft: inout Draft) async throws {
        if let title = arguments.options[Option.title] { draft.title = title.trimmed }
        if let text = arguments.options[Option.text] {
            draft.text = text == "-" ? await console.remainingLines().joined(separator: "\n") : text
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
