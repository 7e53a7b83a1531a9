import Cabinet

/// What is known of the write under way.
struct WriteState {
    /// Whether something was changed, so that there is something to commit.
    var hasChanges = false
    /// The numbers of the tables that records are in, as this transaction has found; nobody else changes the database meanwhile.
    var tables = RecordTables()
    /// The record types whose indexes were made for this transaction, as far as they can be.
    var indexesMade: Set<Record.RecordType> = []
    /// Whether the default zone has a row, which it had or has got.
    var hasDefaultZone = false
    /// The record types that have lost an index.
    var typesWithFewerIndexes: Set<Record.RecordType> = []
}

/// The numbers of the tables that records are in.
struct RecordTables {
    private var tables: [RecordID: Int64] = [:]
    /// What was noted and not yet entered: most of it is never asked for.
    private var notes: [(id: RecordID, table: Int64)] = []

    /// Notes the tables of some records.
    mutating func note(_ places: [(id: RecordID, table: Int64)]) { notes += places }

    /// The number of the table that a record is in; `nil` if that is not known.
    mutating func table(of id: RecordID) -> Int64? {
        enter()
        return tables[id]
    }

    /// Forgets a record, which is in no table any more.
    ///
    /// - Returns: The number of the table that it was in.
    mutating func remove(_ id: RecordID) -> Int64? {
        enter()
        return tables.removeValue(forKey: id)
    }

    /// Forgets the records of some zones.
    mutating func remove(_ zones: Set<RecordZone.ID>) {
        enter()
        tables = tables.filter { !zones.contains($0.key.zoneID) }
    }

    private mutating func enter() {
        if notes.isEmpty { return }
        for (id, table) in notes { tables[id] = table }
        notes = []
    }
}
