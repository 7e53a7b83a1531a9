import Cabinet
import Foundation

/// The position of an unfinished import, as the target stores it in the transaction of each batch.
///
/// Being an entry of the database, it belongs to this store, database and account, and is restored with them.
struct ImportPosition: Sendable, Hashable, Codable {
    /// The number of lines that are imported.
    var line = 0
    /// The number of their bytes.
    var offset = 0
    /// The checksum of their bytes, by which the file is recognized.
    var checksum = ""
    /// Whether some of these lines have to be imported once more at the end.
    var hasDeferred = false

    /// The key of a user's position.
    static func key(of user: String) -> StorageKey { StorageKey("import", "position", user) }

    /// The keys of all lines of a user that have to be imported once more.
    static func deferredKeys(of user: String) -> Range<StorageKey> { StorageKey.all("import", "deferred", user) }

    /// The key of a record that has to be imported once more.
    static func deferredKey(_ id: RecordID, of user: String) -> StorageKey {
        StorageKey("import", "deferred", user, id.zoneID.zoneName, id.recordName)
    }

    /// The text of the position's entry.
    func text() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }

    /// Returns a user's position in a database; `nil` if no import is unfinished.
    static func read(of user: String, from backend: any StorageBackend, _ key: DatabaseKey) async throws -> Self? {
        let texts = try await backend.read(key) { snapshot in
            try await snapshot.load(StorageKeys(entries: [Self.key(of: user)])).entries
        }
        // A position of another version is of no use, and the import begins again.
        return (texts.first ?? nil).flatMap { try? JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }
}
