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

/// The entries that a write has read or set, which are those of the database if no other process has written since.
struct KnownEntries: Sendable {
    private var texts: [StorageKey: String?] = [:]
    private var ranges: [Range<StorageKey>: [StorageEntry]] = [:]
    /// The size of the texts, in bytes of UTF-8.
    private var size = 0

    /// The limit of known entries and ranges.
    static let countLimit = 64
    /// The limit of their texts together, in bytes of UTF-8.
    static let sizeLimit = 16 << 10

    /// Adds the loaded values of some keys.
    mutating func add(_ values: StorageValues, of keys: StorageKeys) {
        for (key, text) in zip(keys.entries, values.entries) { set(text, for: key) }
        for (range, entries) in zip(keys.entryRanges, values.entryRanges) {
            remove(range)
            size += Self.size(of: entries)
            ranges[range] = entries
        }
        limitSize()
    }

    /// Sets the text of an entry; `nil` if it does not exist.
    mutating func set(_ text: String?, for key: StorageKey) {
        let old = texts.updateValue(text, forKey: key)
        size += (text?.utf8.count ?? 0) - (old??.utf8.count ?? 0)
        for range in ranges.keys where range.contains(key) { remove(range) }
        limitSize()
    }

    private mutating func remove(_ range: Range<StorageKey>) {
        if let old = ranges.removeValue(forKey: range) { size -= Self.size(of: old) }
    }

    private static func size(of entries: [StorageEntry]) -> Int { entries.reduce(0) { $0 + $1.text.utf8.count } }

    /// Forgets everything if it is too much: the next write reads what it needs.
    private mutating func limitSize() {
        if texts.count + ranges.count > Self.countLimit || size > Self.sizeLimit { self = KnownEntries() }
    }

    /// Returns the values of some keys.
    ///
    /// - Returns: The values, of which those of unknown entries are `nil`, and the keys of these; `nil` if a range is unknown.
    func values(of keys: StorageKeys) -> (entries: [String?], ranges: [[StorageEntry]], unknown: [StorageKey])? {
        let known = keys.entryRanges.compactMap { ranges[$0] }
        guard known.count == keys.entryRanges.count else { return nil }
        return (keys.entries.map { texts[$0] ?? nil }, known, keys.entries.filter { texts[$0] == nil })
    }
}
