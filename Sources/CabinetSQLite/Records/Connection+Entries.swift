import CSQLite
import Cabinet

/// The entries that the core stores under keys.
extension Connection {
    /// Reads the text of an entry; `nil` if none is stored.
    func entry(_ key: StorageKey) throws -> String? {
        guard !catalog.isEmptyFile else { return nil }
        let statement = try statements.statement("SELECT value FROM cabinet_entry WHERE key = ?")
        defer { statement.reset() }
        try statement.bind(key.text, at: 1)
        return try statement.step() ? text(of: statement, 0) : nil
    }

    /// Reads the text of an entry in the write transaction under way, which may not be in the table yet.
    func knownEntry(_ key: StorageKey) throws -> String? {
        if let known = writeState.entries[key] { return known }
        let text = try entry(key)
        writeState.entries.remember(text, for: key)
        return text
    }

    /// Reads entries in the order of their keys.
    func entries(in range: Range<StorageKey>, limit: Int) throws -> [StorageEntry] {
        guard !catalog.isEmptyFile, !range.isEmpty else { return [] }
        if writeState.entries.unsaved.contains(where: range.contains) { try storeEntries() }
        let statement = try statements.statement(
            "SELECT key, value FROM cabinet_entry WHERE key >= ? AND key < ? ORDER BY key LIMIT ?")
        defer { statement.reset() }
        try statement.bind(range.lowerBound.text, at: 1)
        try statement.bind(range.upperBound.text, at: 2)
        try statement.bind(Int64(limit), at: 3)
        var found: [StorageEntry] = []
        while try statement.step() {
            found.append(StorageEntry(key: StorageKey(try text(of: statement, 0)), text: try text(of: statement, 1)))
        }
        return found
    }

    /// Stores a text under a key, or removes what is stored there.
    func setEntry(_ key: StorageKey, _ text: String?) throws {
        writeState.entries.set(text, for: key)
        if writeState.entries.isFull { try storeEntries() }
    }

    /// Writes the entries that were set.
    func storeEntries() throws {
        if writeState.entries.unsaved.isEmpty { return }
        for key in writeState.entries.unsaved {
            guard let known = writeState.entries[key] else { continue }
            let statement =
                if known == nil {
                    try statements.statement("DELETE FROM cabinet_entry WHERE key = ?1")
                } else {
                    try statements.statement(
                        """
                        INSERT INTO cabinet_entry (key, value) VALUES (?1, ?2) \
                        ON CONFLICT (key) DO UPDATE SET value = excluded.value
                        """)
                }
            try statement.bind(key.text, at: 1)
            if let known { try statement.bind(known, at: 2) }
            try statement.run()
        }
        writeState.entries.markSaved()
    }

    private func text(of statement: Statement, _ column: Int32) throws -> String {
        guard let text = statement.string(column) else {
            throw SQLiteFailure.damaged(path: path, "cabinet_entry has a row whose key or value is not a text")
        }
        return text
    }
}
