import Cabinet
import SQLSupport

/// The state of a connection's current write transaction.
struct WriteState {
    /// The locations of the records that this transaction has read.
    var locations: [RecordID: RecordLocation] = [:]

    /// The entries to store before the commit; `nil` for those to remove.
    ///
    /// A transaction contains several writes, each of which sets the same few entries.
    var pendingEntries: [StorageKey: String?] = [:]

    /// The entries that this transaction, or the one before it, has read or set.
    var known = KnownEntries()

    /// Whether the file has tombstones; `nil` if it is unknown.
    var hasDeletions: Bool?

    /// The record change with the highest sequence number.
    var lastChange: RecordChange?

    /// The folders with new asset files, which must be durable before the commit.
    var changedFolders: Set<String> = []

    /// Whether assets were deleted, so that their files can be removed after the commit.
    var hasDeletedAssets = false

    /// Remembers the locations of records.
    mutating func add(_ found: [(RecordID, RecordLocation)]) {
        if found.isEmpty { return }
        locations.reserveCapacity(locations.count + found.count)
        for (id, location) in found { locations[id] = location }
    }

    /// Records the change of a record.
    mutating func add(_ change: RecordChange) {
        if change.number > lastChange?.number ?? 0 { lastChange = change }
    }

    /// Forgets what a savepoint that was rolled back has changed, or may have changed.
    ///
    /// - Parameter lastChange: The last change before the savepoint.
    mutating func rollBack(to lastChange: RecordChange?) {
        pendingEntries = [:]
        known = KnownEntries()
        hasDeletions = nil
        self.lastChange = lastChange
    }
}

/// The change of a record in a zone.
struct RecordChange: Sendable {
    /// The number of the record type.
    let type: Int64
    /// The number of the zone.
    let zone: Int64
    /// The sequence number.
    let number: Int64
}
