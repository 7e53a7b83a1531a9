import Cabinet

/// What a connection knows of the write transaction under way.
struct WriteState {
    /// Where records are that were read in this transaction.
    var locations: [RecordID: RecordLocation] = [:]

    /// The entries that were read or set.
    var entries = EntryCache()

    /// Whether deletions are remembered; `nil` if that is not known yet.
    var hasDeletions: Bool?

    /// The change of a record that has the highest sequence number.
    var lastChange: RecordChange?

    /// The folders with new files of assets, which must be durable before the transaction is.
    var changedFolders: Set<String> = []

    /// Whether assets were removed, so that files are to be removed once the transaction is durable.
    var hasAbandonedAssets = false

    /// Records where records are that were read.
    mutating func add(_ found: [(RecordID, RecordLocation)]) {
        if found.isEmpty { return }
        locations.reserveCapacity(locations.count + found.count)
        for (id, location) in found { locations[id] = location }
    }

    /// Records the change of a record.
    mutating func add(_ change: RecordChange) {
        if change.number > lastChange?.number ?? 0 { lastChange = change }
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
