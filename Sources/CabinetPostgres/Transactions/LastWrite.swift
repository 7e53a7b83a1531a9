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
///
/// Each wrong assumption is an error in the server's log. So a process assumes less often if others write to the same database.
final class LastWrites: Sendable {
    private struct Entry {
        /// The last write; `nil` while another one assumes it, or if another process has written since.
        var write: LastWrite?
        /// Whether a write has assumed the last one, and has not been committed.
        var isAssumed = false
        /// The number of writes of this process since the last one of another process.
        var ownCount = 0
        /// The number of own writes from which on the next one assumes.
        var neededCount = 1
    }

    private let entries = Mutex<[DatabaseKey: Entry]>([:])

    /// The limit of databases.
    static let limit = 1000

    /// The limit of the own writes that are needed after wrong assumptions, and the number of further ones that cancel these.
    static let longestPause = 64

    /// The number of databases with a last write.
    var count: Int { entries.withLock(\.count) }

    /// Returns the last write to a database.
    subscript(database: DatabaseKey) -> LastWrite? { entries.withLock { $0[database]?.write } }

    /// Returns the last write to a database if the next one may assume it.
    func assumable(in database: DatabaseKey) -> LastWrite? {
        entries.withLock { entries in
            guard let entry = entries[database], entry.ownCount >= entry.neededCount else { return nil }
            return entry.write
        }
    }

    /// Removes the last write to a database, which another one assumes, so that no further write does if that one fails.
    func beginAssuming(in database: DatabaseKey) {
        entries.withLock { entries in
            entries[database]?.write = nil
            entries[database]?.isAssumed = true
        }
    }

    /// Records what a write has read: whether this process was the last one to write.
    ///
    /// If it was not, and the last write was assumed, then twice as many own writes are needed before the next assumption.
    func recordRead(isLastWriter: Bool, in database: DatabaseKey) {
        entries.withLock { entries in
            guard var entry = entries[database] else { return }
            if !isLastWriter {
                if entry.isAssumed { entry.neededCount = min(entry.neededCount * 2, Self.longestPause) }
                entry.write = nil
                entry.ownCount = 0
            }
            entry.isAssumed = false
            entries[database] = entry
        }
    }

    /// Stores the last write to a database, which no write of another process precedes since the one before it.
    func store(_ write: LastWrite, of database: DatabaseKey) {
        entries.withLock { entries in
            if entries.count >= Self.limit, entries[database] == nil { entries = [:] }
            var entry = entries[database] ?? Entry()
            entry.write = write
            entry.isAssumed = false
            entry.ownCount += 1
            if entry.ownCount >= entry.neededCount + Self.longestPause { entry.neededCount = 1 }
            entries[database] = entry
        }
    }

    /// Removes all, because the server is another one.
    func removeAll() { entries.withLock { $0 = [:] } }
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
