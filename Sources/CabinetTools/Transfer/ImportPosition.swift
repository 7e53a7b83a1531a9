import Cabinet
import Foundation

/// The position of an unfinished import.
///
/// As an entry of the database, it belongs to this store, database and account, and is restored with them.
struct ImportPosition: Sendable, Hashable, Codable {
    /// The number of lines that are imported.
    var line = 0
    /// The number of their bytes.
    var offset = 0
    /// The checksum of their bytes, by which the file is recognized.
    var checksum = ""
    /// Whether some of these lines have to be imported once more at the end.
    var hasDeferred = false
    /// The export that these lines belong to; `nil` in a position that an earlier version has stored.
    var export: ExportSection? = ExportSection()
    /// A token of a server's database, which expires if that is replaced by one without these records.
    var changeToken: ServerChangeToken?

    /// The key of an owner's position.
    static func key(of owner: String) -> StorageKey { StorageKey("import", "position", owner) }

    /// The keys of all lines of an owner that have to be imported once more.
    static func deferredKeys(of owner: String) -> Range<StorageKey> { StorageKey.all("import", "deferred", owner) }

    /// The key of a record that has to be imported once more.
    static func deferredKey(_ id: RecordID, of owner: String) -> StorageKey {
        StorageKey("import", "deferred", owner, id.zoneID.zoneName, id.recordName)
    }
}
