import Cabinet
import CabinetPostgres
import CabinetRemote
import CabinetSQLite
import Foundation
import TerminalProgram

/// The user's notes: the private database of the app's container in a folder or on a server, and this device's copy of
/// it.
actor NotesStore {
    private let container: Container
    private let file: LocalNotesFile
    private var local: LocalNotes
    private var restartReason: String?

    /// The current time, which also becomes the names of notes.
    let now: @Sendable () -> Date

    /// The location of the notes.
    nonisolated var database: Database { container.privateDatabase }

    /// The notes that this device knows, in the order of the list.
    var notes: [Note] { local.notes }

    /// Opens the store, and reads this device's copy.
    ///
    /// The first save creates the folder, or the tables.
    ///
    /// - Parameter localFolder: The folder of this device's notes.
    init(
        _ store: StoreLocation, localFolder: URL, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(NotesError) {
        do {
            let identifier = "com.example.notes"
            switch store {
            case .folder(let folder):
                container = try Container(identifier: identifier, backend: SQLiteBackend(directory: folder))
            case .server(let server):
                let configuration = PostgresConfiguration(schema: "notes")
                let backend = try PostgresBackend(connection: server.text, configuration: configuration)
                container = try Container(identifier: identifier, backend: backend)
            case .remote(let server):
                container = try Container(identifier: identifier, server: server.url, credentials: Credentials())
            case .cloudKit(let server):
                container = try Container(
                    identifier: "iCloud.\(identifier)", server: server.map { .cloudKit($0.url) } ?? .iCloud,
                    credentials: CloudKitCredentials())
            }
        } catch {
            throw NotesError(sentence: .notesNotFetched, reason: error)
        }
        self.now = now
        file = LocalNotesFile(folder: localFolder, store: store.description)
        do {
            local = try file.read()
        } catch {
            local = LocalNotes()
            restartReason = "The notes in \(file.url.path) were discarded: \(error.localizedDescription)"
        }
    }

    /// Fetches the changes since the last fetch.
    @discardableResult
    func fetchChanges() async throws(NotesError) -> FetchReport {
        try await saying(.notesNotFetched) {
            var report = FetchReport(restartReason: restartReason)
            restartReason = nil
            do {
                try await takeChanges(since: local.token, reporting: &report)
            } catch let error as CabinetError where error.code == .changeTokenExpired && local.token != nil {
                report.restartReason = "The stored notes can no longer be used: \(error.localizedDescription)"
                try await takeChanges(since: nil, reporting: &report)
            }
            return report
        }
    }

    /// Fetches the latest changes, and again after each change of a device, until it fails or the store is closed.
    ///
    /// The observed query fetches no fields: it only reports that a change exists, which the token then fetches.
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
            // A fetch without a token returns existing records, but no deletions.
            if isFirst, token == nil { local = LocalNotes() }
            isFirst = false
            local.take(page, reporting: &report)
            // A store that never had a note leaves no file.
            if !page.modifications.isEmpty || !page.deletions.isEmpty { keep() }
        }
    }

    /// Stores a saved note, at its position in the list.
    func keep(_ note: Note) {
        local.place(note)
        keep()
    }

    /// Removes a deleted note.
    func drop(_ id: RecordID) {
        local.remove(id)
        keep()
    }

    /// This device's version of a note.
    func note(_ id: RecordID) -> Note? { local[id] }

    private func keep() {
        // If the file cannot be written, the next start fetches more, which is harmless.
        try? file.write(local)
    }

    /// Closes the store's files or connections.
    func close() async {
        await container.close()
    }
}
