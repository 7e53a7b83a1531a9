import Cabinet
import Foundation

/// The file in which a device keeps its notes while the program does not run.
///
/// Whoever writes last wins: each version of the file is whole, and its token tells what it does not know.
struct LocalNotesFile: Sendable {
    let url: URL

    /// The store whose notes they are: those of another one are of no use.
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

    /// Why a file cannot be used.
    private struct Useless: LocalizedError {
        let errorDescription: String?
    }

    /// Reads the notes; none if there is no file.
    ///
    /// - Throws: If the file is damaged, or of another store.
    func read() throws -> LocalNotes {
        guard FileManager.default.fileExists(atPath: url.path) else { return LocalNotes() }
        let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
        guard content.version == Content.currentVersion else {
            throw Useless(errorDescription: "It is of another version of this program.")
        }
        guard content.store == store else {
            throw Useless(errorDescription: "It is of the store in \(content.store).")
        }
        return LocalNotes(token: content.token, notes: content.notes)
    }

    /// Writes the notes: all of them, or, if the program is ended in the middle, none.
    func write(_ local: LocalNotes) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let content = Content(store: store, token: local.token, notes: local.notes)
        try JSONEncoder().encode(content).write(to: url, options: .atomic)
    }
}
