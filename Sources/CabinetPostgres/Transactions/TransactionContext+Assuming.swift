import Cabinet
import SQLSupport

/// The assumptions of a write about what it does not read.
struct Assumptions {
    /// The state that no other process has changed.
    let last: LastWrite
    /// The entries that do not exist, and have not been checked.
    var missingEntries: [StorageKey] = []
    /// The records that are not stored, and have not been checked.
    var missingRecords: [RecordID] = []
    /// The records that are stored, and have not been checked.
    var storedRecords: [RecordID] = []

    /// Whether the statements of the transaction check everything.
    var areChecked: Bool { missingEntries.isEmpty && missingRecords.isEmpty && storedRecords.isEmpty }
}

extension TransactionContext {
    /// Returns the values that the last write of this process has left, if the request only creates records.
    ///
    /// Entries that the write has not left do not exist, and the targets of references do.
    ///
    /// - Returns: `nil` if the values must be read.
    func assumedValues(_ keys: StorageKeys) -> StorageValues? {
        guard keys.areRecordsNew, let assumed = assumptions ?? startOfAssumptions,
            let known = (assumptions == nil ? assumed.last.entries : write?.known)?
                .values(of: keys, pending: write?.pendingEntries ?? [:])
        else { return nil }
        if assumptions == nil { assume(assumed) }
        assumptions?.missingEntries += known.unknown
        assumptions?.missingRecords += keys.records
        assumptions?.storedRecords += keys.existing
        for key in known.unknown { write?.known.set(nil, for: key) }
        return StorageValues(
            records: Array(repeating: nil, count: keys.records.count),
            existing: Array(repeating: true, count: keys.existing.count), entries: known.entries,
            entryRanges: known.ranges, schema: catalog.schema, origin: row?.origin)
    }

    /// Enqueues the statements that check what was assumed and not checked yet, each of which divides by zero if it was wrong.
    func checkAssumptions() throws {
        guard let assumed = assumptions, let number else { return }
        assumptions = Assumptions(last: assumed.last)
        try check(assumed.missingRecords, areStored: false, number.id)
        try check(assumed.storedRecords, areStored: true, number.id)
        if assumed.missingEntries.isEmpty { return }
        try connection.enqueue(
            """
            SELECT 1 / (CASE WHEN EXISTS (\
            SELECT FROM unnest($2::text[]) AS v(key) CROSS JOIN LATERAL (SELECT FROM \(name("cabinet_entry")) \
            WHERE database = $1 AND key = v.key COLLATE "C" OFFSET 0) AS e) THEN 0 ELSE 1 END)
            """, [.integer(number.id), .texts(assumed.missingEntries.map(\.text))])
    }

    private func check(_ ids: [RecordID], areStored: Bool, _ databaseID: Int64) throws {
        if catalog.tables.isEmpty, areStored, !ids.isEmpty { throw StaleSnapshot() }
        if catalog.tables.isEmpty || ids.isEmpty { return }
        for (zoneID, ids) in Dictionary(grouping: Set(ids), by: \.zoneID) {
            let query = LookupQuery(
                ids.map { StoredText.encoded($0.recordName) }, in: zoneID, of: databaseID, zones: name("cabinet_zone"),
                mayBeNew: !areStored)
            try connection.enqueue(
                """
                SELECT 1 / (CASE WHEN (SELECT count(*) FROM (\(query.location(in: catalog.tables))) AS found) \
                = $\(query.values.count + 1) THEN 1 ELSE 0 END)
                """, query.values + [.integer(areStored ? Int64(ids.count) : 0)])
        }
    }

    /// Whether a failure shows that an assumption was wrong: a division by zero, which no other statement contains.
    func disproves(_ failure: PostgresFailure) -> Bool { assumptions != nil && failure.state == "22012" }
}
