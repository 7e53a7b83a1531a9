import Cabinet
import SQLSupport

/// What a write assumes about the database instead of reading it.
struct Assumptions {
    /// The state that no other process has changed.
    let last: LastWrite
    /// The entries that do not exist, and have not been checked.
    var missingEntries: [StorageKey] = []
    /// The records that are not stored, and have not been inserted.
    var missingRecords: Set<RecordID> = []
}

extension TransactionContext {
    /// Returns the values that the last write of this process has left, if the request only creates records.
    ///
    /// - Returns: `nil` if the values must be read.
    func assumedValues(_ keys: StorageKeys) -> StorageValues? {
        guard keys.areRecordsNew, keys.existing.isEmpty, let assumed = assumptions ?? startOfAssumptions,
            let known = (assumptions == nil ? assumed.last.entries : write?.known)?.values(of: keys)
        else { return nil }
        if assumptions == nil { assume(assumed) }
        assumptions?.missingEntries += known.unknown
        assumptions?.missingRecords.formUnion(keys.records)
        for key in known.unknown { write?.known.set(nil, for: key) }
        return StorageValues(
            records: Array(repeating: nil, count: keys.records.count), existing: [], entries: known.entries,
            entryRanges: known.ranges, schema: catalog.schema, origin: row?.origin)
    }

    /// Enqueues the statements that check what was assumed and not checked yet, before the first change or read that follows.
    func checkMissingEntries() throws {
        guard let missing = assumptions?.missingEntries, !missing.isEmpty, let number else { return }
        assumptions?.missingEntries = []
        try connection.enqueue(
            """
            SELECT 1 / (CASE WHEN EXISTS (\
            SELECT FROM unnest($2::text[]) AS v(key) CROSS JOIN LATERAL (SELECT FROM \(name("cabinet_entry")) \
            WHERE database = $1 AND key = v.key COLLATE "C" OFFSET 0) AS e) THEN 0 ELSE 1 END)
            """, [.integer(number.id), .texts(missing.map(\.text))])
    }

    /// Whether a failure shows that an assumption was wrong.
    func disproves(_ failure: PostgresFailure) -> Bool {
        // A division by zero, which only the checks contain, or a record that is stored already.
        assumptions != nil && ["22012", "23505"].contains(failure.state)
    }

    /// Whether the transaction may be committed as far as its assumptions are concerned, which its statements check.
    var hasCheckedAssumptions: Bool {
        assumptions.map { $0.missingEntries.isEmpty && $0.missingRecords.isEmpty } ?? true
    }
}
