import Cabinet
import SQLSupport
import Synchronization

/// The state in which the last write of this process has left a database.
///
/// The next write that only creates records assumes that nothing has changed since, and sends everything in one round trip. Its first
/// statement fails if another process has written in between. Then the write runs again, and reads what it needs.
struct LastWrite: Sendable {
    let row: DatabaseRow
    let catalog: Catalog
    let zones: ZoneTable
    let entries: KnownEntries
}

/// The last writes of this process, by database.
final class LastWrites: Sendable {
    private let writes = Mutex<[DatabaseKey: LastWrite]>([:])

    /// The limit of databases.
    static let limit = 1000

    /// The number of databases with a last write.
    var count: Int { writes.withLock(\.count) }

    /// Returns the last write to a database.
    subscript(database: DatabaseKey) -> LastWrite? { writes.withLock { $0[database] } }

    /// Removes the last write to a database, so that a write that assumes it and fails does not assume it again.
    func remove(_ database: DatabaseKey) { writes.withLock { $0[database] = nil } }

    /// Stores the last write to a database.
    func store(_ write: LastWrite, of database: DatabaseKey) {
        writes.withLock { writes in
            if writes.count >= Self.limit, writes[database] == nil { writes = [:] }
            writes[database] = write
        }
    }

    /// Removes all, because the server is another one.
    func removeAll() { writes.withLock { $0 = [:] } }
}

extension KnownEntries {
    /// Adds the loaded values of some keys.
    mutating func add(_ values: StorageValues, of keys: StorageKeys) {
        for (key, text) in zip(keys.entries, values.entries) { set(text, for: key) }
        for (range, entries) in zip(keys.entryRanges, values.entryRanges) { set(entries, in: range) }
    }

    /// Returns the values of some keys.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - pending: The entries that the transaction has set and not stored, also those that were too many to remember.
    /// - Returns: The values, with `nil` for unknown entries, and the keys of these; `nil` if a range is unknown.
    func values(
        of keys: StorageKeys, pending: [StorageKey: String?]
    ) -> (entries: [String?], ranges: [[StorageEntry]], unknown: [StorageKey])? {
        let known = keys.entryRanges.compactMap { self[$0] }
        guard known.count == keys.entryRanges.count else { return nil }
        let texts = keys.entries.map { pending[$0] ?? self[$0] }
        return (texts.map { $0 ?? nil }, known, zip(keys.entries, texts).compactMap { $1 == nil ? $0 : nil })
    }
}
