import Cabinet
import CabinetMirror
import ExampleSupport
import Foundation
import TerminalProgram

/// The user's notes: the private database of the app's container in a folder or on a server.
actor NotesStore {
    nonisolated let container: Container

    /// The notes as they were fetched last, in the order of the list.
    private(set) var notes: [Note] = []

    /// The current time, with which the names of notes begin.
    let now: @Sendable () -> Date

    /// The database with the notes.
    nonisolated var database: Database { container.privateDatabase }

    /// Opens the store.
    ///
    /// The first save creates the folder, or the tables.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - server: A server that the store mirrors; `nil` for none.
    ///   - syncs: Whether the mirror fetches and sends by itself.
    ///   - now: The clock.
    init(
        _ store: StoreLocation, mirroring server: RemoteURL? = nil, syncs: Bool = true,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(NotesError) {
        self.now = now
        do {
            var configuration = MirrorConfiguration()
            configuration.automaticallySyncs = syncs
            configuration.resolver = .keepingLaterDates
            container = try Container(
                "com.example.notes", at: store, schema: "notes", mirroring: server, configuration: configuration)
        } catch {
            throw NotesError(sentence: .notesNotFetched, reason: error)
        }
    }

    /// Fetches the notes.
    func fetch() async throws(NotesError) {
        try await saying(.notesNotFetched) {
            replaceNotes(with: try await database.allRecords(matching: Query(recordType: "Notes")))
        }
    }

    /// Fetches the notes, and again after each change of a device, until it fails or the store is closed.
    func watch(show: @Sendable ([Note]) async -> Void) async throws {
        var changes = database.observe(Query(recordType: "Notes")).makeAsyncIterator()
        while true {
            do {
                guard let records = try await changes.next(isolation: #isolation) else { return }
                replaceNotes(with: records)
                await show(notes)
            } catch let error as CabinetError {
                guard let delay = error.retryAfterSeconds else { throw error }
                try await Task.sleep(for: .seconds(delay))
            }
        }
    }

    /// Replaces the notes by those of an answer, in which a server may repeat a record.
    func replaceNotes(with records: [Record]) {
        let known = Dictionary(notes.map { ($0.id, $0) }) { $1 }
        notes = records.map { Note($0, known: known[$0.recordID]) }.sorted(by: Note.isOlder)
    }

    /// Adds a saved note, at its position in the list.
    func keep(_ note: Note) {
        notes = (notes.filter { $0.id != note.id } + [note]).sorted(by: Note.isOlder)
    }

    /// Removes a deleted note.
    func drop(_ id: RecordID) { notes.removeAll { $0.id == id } }

    /// The version of a note that was fetched last.
    func note(_ id: RecordID) -> Note? { notes.first { $0.id == id } }

    /// Closes the store's files or connections.
    func close() async {
        await container.close()
    }
}

extension ConflictResolver {
    /// Keeps the changes of both sides and the later edited date; of a field that both have changed, the server's value.
    fileprivate static var keepingLaterDates: ConflictResolver {
        fieldwise { field in
            guard field.key == .noteEditedDate, let mine = field.clientValue as? Date,
                let theirs = field.serverValue as? Date
            else { return field.serverValue }
            return max(mine, theirs)
        }
    }
}
