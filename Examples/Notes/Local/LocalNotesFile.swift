import Cabinet
import Foundation

/// The file in which a device keeps its notes while the program does not run.
///
/// The last writer wins: each version of the file is whole, and its token covers the missing changes.
struct LocalNotesFile: Sendable {
    let url: URL

    /// The store of the notes.
    ///
    /// Notes of another store cannot be used.
    let store: String

    private struct Content: Codable {
        var version = Self.currentVersion
        let store: String
        let token: ServerChangeToken?
        let notes: [Note]

        static let currentVersion = 1
    }

    init(folder: URL, store: String) {
        url = folder.appending(path: "local-notes.json")
        self.store = store
    }

    /// A reason that a file cannot be used.
    private struct Useless: LocalizedError {
        let errorDescription: String?
    }

    /// Reads the notes; none if there is no file.
    ///
    /// - Throws: An error if the file is damaged, or belongs to another store.
    func read() throws -> LocalNotes {
        guard FileManager.default.fileExists(atPath: url.path) else { return LocalNotes() }
        let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
        guard content.version == Content.currentVersion else {
            throw Useless(errorDescription: "It was written by another version of this program.")
        }
        guard content.store == store else {
            throw Useless(errorDescription: "It belongs to the store in \(content.store).")
        }
        return LocalNotes(token: content.token, notes: content.notes)
    }

    /// Writes all notes, or none if the program ends during the write.
    func write(_ local: LocalNotes) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let content = Content(store: store, token: local.token, notes: local.notes)
        try JSONEncoder().encode(content).write(to: url, options: .atomic)
    }
}
