import Cabinet

/// The texts that the core stores under keys.
extension TransactionContext {
    /// Reads entries in the order of their keys.
    func entries(in range: Range<StorageKey>, limit: Int) throws -> [StorageEntry] {
        if hasSnapshot, row == nil || range.isEmpty { return [] }
        try begin()
        var found: [StorageEntry] = []
        try connection.enqueue(
            """
            SELECT key, value FROM \(name("cabinet_entry")) WHERE database = \(databaseNumber) \
            AND key >= $2 AND key < $3 ORDER BY key LIMIT $4
            """,
            [
                .text(storedName), .text(range.lowerBound.text), .text(range.upperBound.text),
                .integer(Int64(limit)),
            ]
        ) { result in found = try result.rows.map { try Self.entry($0, from: 0) } }
        try awaitSnapshot()
        return found
    }

    /// Stores texts under keys, and removes the keys without a text, in one statement.
    func setEntries(_ entries: [(key: StorageKey, text: String?)]) throws {
        let databaseID = try writableID()
        // Of several texts for a key, the last one counts.
        let last = Dictionary(entries.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
        let stored = last.compactMap { key, text in text.map { (key: key, text: $0) } }
        let removed = last.filter { $0.value == nil }.map(\.key)
        let table = name("cabinet_entry")
        var parameters: [SQLValue] = [
            .integer(databaseID), .texts(stored.map(\.key.text)), .texts(stored.map { StoredText.encoded($0.text) }),
        ]
        var removal = ""
        if !removed.isEmpty {
            // Look up each row by its key, as in ``LookupQuery``: a join might scan a whole database.
            removal = """
                WITH removed AS (DELETE FROM \(table) WHERE ctid = ANY(ARRAY(\
                SELECT e.ctid FROM unnest($4::text[]) AS v(key) CROSS JOIN LATERAL (SELECT ctid FROM \(table) \
                WHERE database = $1 AND key = v.key COLLATE "C" OFFSET 0) AS e)))
                """
            parameters.append(.texts(removed.map(\.text)))
        }
        try connection.enqueue(
            """
            \(removal) INSERT INTO \(table) (database, key, value) \
            SELECT $1, v.key, v.value FROM unnest($2::text[], $3::text[]) AS v(key, value) \
            ON CONFLICT (database, key) DO UPDATE SET value = excluded.value
            """, parameters)
    }

    /// Reads an entry from two columns.
    static func entry(_ row: QueryRow, from column: Int) throws -> StorageEntry {
        guard let key = row.text(column) else { throw PostgresFailure.damaged("cabinet_entry has a row without a key") }
        return StorageEntry(key: StorageKey(key), text: try entryText(row.text(column + 1)))
    }

    /// Returns the text of a stored entry.
    static func entryText(_ stored: String?) throws -> String {
        guard let stored else { throw PostgresFailure.damaged("cabinet_entry has a row without a value") }
        return StoredText.decoded(stored)
    }
}
