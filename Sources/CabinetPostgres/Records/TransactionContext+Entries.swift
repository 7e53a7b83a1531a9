import Cabinet
import SQLSupport

/// The texts that the core stores under keys.
extension TransactionContext {
    /// Reads entries in the order of their keys.
    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        if hasSnapshot, row == nil || range.isEmpty { return [] }
        try writeEntries()
        try begin()
        var found: [StorageEntry] = []
        try connection.enqueue(
            """
            SELECT key, value FROM \(name("cabinet_entry")) WHERE database = $1 \
            AND key >= $2 AND key < $3 ORDER BY key LIMIT $4
            """,
            [
                .integer(number?.id ?? 0), .text(range.lowerBound.text), .text(range.upperBound.text),
                .integer(Int64(limit)),
            ]
        ) { result in found = try result.rows.map { try Self.entry($0, from: 0) } }
        try await awaitSnapshot()
        return found
    }

    /// The limit of entries that wait to be stored.
    private static let mostPendingEntries = 256
    /// The limit of rows that are stored or removed one by one.
    private static let mostSingleEntries = 8

    /// Stores texts under keys, and removes the keys without a text, before the next statement that reads them, or the commit.
    ///
    /// Writes that are committed together change the same entries. Only the last text of each is sent.
    func setEntries(_ entries: [(key: StorageKey, text: String?)]) throws {
        _ = try writableID()
        for (key, text) in entries {
            write?.pendingEntries.updateValue(text, forKey: key)
            write?.known.set(text, for: key)
        }
        if write?.pendingEntries.count ?? 0 > Self.mostPendingEntries { try writeEntries() }
    }

    /// Enqueues the statements that store the waiting entries.
    func writeEntries() throws {
        let statement = try takeEntries(firstParameter: 2)
        guard let statement else { return }
        try connection.enqueue(statement.sql, [.integer(try writableID())] + statement.parameters)
    }

    /// Takes the waiting entries, and enqueues the statements that remove those without a text.
    ///
    /// - Parameter firstParameter: The number of the first parameter of the returned statement; `$1` is the database.
    /// - Returns: The statement that stores the others, and its parameters after the database; `nil` if there are none.
    func takeEntries(firstParameter: Int) throws -> (sql: String, parameters: [SQLValue])? {
        guard let entries = write?.pendingEntries, !entries.isEmpty else { return nil }
        write?.pendingEntries = [:]
        try remove(entries.filter { $0.value == nil }.map(\.key.text), try writableID())
        let stored = entries.compactMap { key, text in text.map { (key: key.text, text: StoredText.encoded($0)) } }
        if stored.isEmpty { return nil }
        let rows: String
        let parameters: [SQLValue]
        if stored.count <= Self.mostSingleEntries {
            // Citus passes these to one worker, and does not collect them first.
            let places = stored.indices.map { 2 * $0 + firstParameter }
            rows = "VALUES " + places.map { "($1::bigint, $\($0), $\($0 + 1))" }.joined(separator: ", ")
            parameters = stored.flatMap { [.text($0.key), .text($0.text)] }
        } else {
            rows = """
                SELECT $1::bigint, v.key, v.value \
                FROM unnest($\(firstParameter)::text[], $\(firstParameter + 1)::text[]) AS v(key, value)
                """
            parameters = [.texts(stored.map(\.key)), .texts(stored.map(\.text))]
        }
        let sql = """
            INSERT INTO \(name("cabinet_entry")) (database, key, value) \(rows) \
            ON CONFLICT (database, key) DO UPDATE SET value = excluded.value
            """
        return (sql, parameters)
    }

    private func remove(_ keys: [String], _ databaseID: Int64) throws {
        let table = name("cabinet_entry")
        guard keys.count > Self.mostSingleEntries else {
            for key in keys {
                try connection.enqueue(
                    "DELETE FROM \(table) WHERE database = $1 AND key = $2", [.integer(databaseID), .text(key)])
            }
            return
        }
        // Look up each row by its key, as in ``LookupQuery``: a join might scan a whole database.
        try connection.enqueue(
            """
            DELETE FROM \(table) WHERE database = $1 AND ctid = ANY(ARRAY(\
            SELECT e.ctid FROM unnest($2::text[]) AS v(key) CROSS JOIN LATERAL (SELECT ctid FROM \(table) \
            WHERE database = $1 AND key = v.key COLLATE "C" OFFSET 0) AS e))
            """, [.integer(databaseID), .texts(keys)])
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
