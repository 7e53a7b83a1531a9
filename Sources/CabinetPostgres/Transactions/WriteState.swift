import Cabinet

/// What is known of the write under way.
struct WriteState {
    /// Whether something was changed, so that there is something to commit.
    var hasChanges = false
    /// The numbers of the tables that records are in, as this transaction has found; nobody else changes the database meanwhile.
    var tables = RecordTables()
    /// Records whose existence was asked for before anybody wanted to know.
    var foreseen = ForeseenRecords()
    /// The record types whose indexes were made for this transaction, as far as they can be.
    var indexesMade: Set<Record.RecordType> = []
    /// Whether the default zone has a row, which it had or has got.
    var hasDefaultZone = false
    /// The number of the default zone's last change, if its row does not have it yet.
    var defaultZoneMark: Int64?
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

/// Records that will probably be looked for next, and are looked for together with others.
struct ForeseenRecords {
    private(set) var expected: [RecordID] = []
    /// What was found: system fields only.
    private var found: [RecordID: StoredRecord?] = [:]

    /// The most records to look for on suspicion.
    static let limit = 1000

    /// Says what will be looked for.
    mutating func expect(_ ids: [RecordID]) { expected = ids.count <= Self.limit ? ids : [] }

    /// Notes what was found.
    mutating func note(_ records: [StoredRecord?]) {
        for (id, record) in zip(expected, records) { found.updateValue(record, forKey: id) }
        expected = []
    }

    /// Forgets all, because something may be otherwise now.
    mutating func forget() { self = ForeseenRecords() }

    /// The records with some IDs; `nil` unless all of them were looked for.
    func records(for ids: [RecordID]) -> [StoredRecord?]? {
        if found.isEmpty { return nil }
        let records = ids.compactMap { found[$0] }
        return records.count == ids.count ? records : nil
    }
}
