import Cabinet
import CabinetPostgres
import CabinetSQLite
import Foundation
import TerminalProgram

/// The user's notes: the private database of the app's container in a folder or on a server, and what this device keeps of it.
actor NotesStore {
    private let container: Container
    private let file: LocalNotesFile
    private var local: LocalNotes
    private var startedAnew: String?

    /// What time it is, which also makes the notes' names.
    let now: @Sendable () -> Date

    /// Where the notes are.
    nonisolated var database: Database { container.privateDatabase }

    /// The notes that this device knows, in the order of the list.
    var notes: [Note] { local.notes }

    /// Opens the store, and reads what this device has kept; the first save makes the folder, or the tables.
    ///
    /// - Parameter localFolder: Where this device keeps its notes.
    init(
        _ store: StoreLocation, localFolder: URL, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(NotesError) {
        do {
            let backend: any StorageBackend =
                switch store {
                case .folder(let folder): SQLiteBackend(directory: folder)
                case .server(let server):
                    try PostgresBackend(connection: server.text, configuration: PostgresConfiguration(schema: "notes"))
                }
            container = try Container(identifier: "com.example.notes", backend: backend)
        } catch {
            throw NotesError(sentence: .notesNotFetched, reason: error)
        }
        self.now = now
        file = LocalNotesFile(folder: localFolder, store: store.description)
        do {
            local = try file.read()
        } catch {
            local = LocalNotes()
            startedAnew = "What was kept in \(file.url.path) was thrown away: \(error.localizedDescription)"
        }
    }

    /// Fetches what is new, and nothing else.
    @discardableResult
    func fetchChanges() async throws(NotesError) -> FetchReport {
        try await saying(.notesNotFetched) {
            var report = FetchReport(startedAnew: startedAnew)
            startedAnew = nil
            do {
                try await takeChanges(since: local.token, reporting: &report)
            } catch let error as CabinetError where error.code == .changeTokenExpired && local.token != nil {
                report.startedAnew = "What was kept is of no use any more: \(error.localizedDescription)"
                try await takeChanges(since: nil, reporting: &report)
            }
            return report
        }
    }

    /// Fetches what is new, and again whenever a device has changed something, until it fails or the store is closed.
    ///
    /// The observed query fetches no fields: it only reports that there is something new, which its token then fetches.
    func watch(show: @Sendable ([Note]) async -> Void) async throws {
        var changes = database.observe(Query(recordType: "Notes"), desiredKeys: []).makeAsyncIterator()
        while true {
            do {
                guard try await changes.next(isolation: #isolation) != nil else { return }
                try await fetchChanges()
                await show(notes)
            } catch let error as CabinetError {
                guard let delay = error.retryAfterSeconds else { throw error }
                try await Task.sleep(for: .seconds(delay))
            }
        }
    }

    private func takeChanges(since token: ServerChangeToken?, reporting report: inout FetchReport) async throws {
        var isFirst = true
        for try await page in database.recordZoneChangeSequence(inZoneWith: .default, since: token, pageSize: 500) {
            // Who asks without a token is told what there is, and not what there is no more.
            if isFirst, token == nil { local = LocalNotes() }
            isFirst = false
            local.take(page, reporting: &report)
            // A store in which there was never a note leaves no file.
            if !page.modifications.isEmpty || !page.deletions.isEmpty { keep() }
        }
    }

    /// Keeps a note that was saved, in its place in the list.
    func keep(_ note: Note) {
        local.place(note)
        keep()
    }

    /// Drops a note that was deleted.
    func drop(_ id: RecordID) {
        local.remove(id)
        keep()
    }

    /// What this device knows of a note.
    func note(_ id: RecordID) -> Note? { local[id] }

    private func keep() {
        // Where nothing can be written, the next start fetches more: no reason to fail.
        try? file.write(local)
    }

    /// Closes the store's files or connections.
    func close() async {
        await container.close()
    }
}
