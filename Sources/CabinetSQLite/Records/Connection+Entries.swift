import CSQLite
import Cabinet

/// The entries that the core stores under keys.
extension Connection {
    /// The most entries that a statement reads or writes: the core needs a few at once, and each number of them has a statement.
    private static let entriesAtOnce = 8

    /// Reads the texts of entries; `nil` where none is stored.
    func entries(_ keys: [StorageKey]) throws -> [String?] {
        guard !catalog.isEmptyFile else { return keys.map { _ in nil } }
        var texts: [String: String] = [:]
        for start in stride(from: 0, to: keys.count, by: Self.entriesAtOnce) {
            let part = keys[start..<min(start + Self.entriesAtOnce, keys.count)]
            let parameters = part.map { _ in "?" }.joined(separator: ", ")
            let statement = try statements.statement(
                "SELECT key, value FROM cabinet_entry WHERE key IN (\(parameters))")
            defer { statement.reset() }
            for (index, key) in part.enumerated() { try statement.bind(key.text, at: Int32(index + 1)) }
            while try statement.step() { texts[try text(of: statement, 0)] = try text(of: statement, 1) }
        }
        return keys.map { texts[$0.text] }
    }

    /// Reads the texts of entries in the write transaction under way, which may not be in the table yet.
    func knownEntries(_ keys: [StorageKey]) throws -> [String?] {
        let unknown = keys.filter { writeState.entries[$0] == nil }
        var found: [StorageKey: String?] = [:]
        for (key, text) in zip(unknown, try entries(unknown)) {
            writeState.entries.remember(text, for: key)
            found.updateValue(text, forKey: key)
        }
        return keys.map { (writeState.entries[$0] ?? found[$0]) ?? nil }
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
        var changed: [(key: String, text: String)] = []
        for key in writeState.entries.unsaved {
            guard let known = writeState.entries[key] else { continue }
            if let known {
                changed.append((key.text, known))
            } else {
                let deletion = try statements.statement("DELETE FROM cabinet_entry WHERE key = ?")
                try deletion.bind(key.text, at: 1)
                try deletion.run()
            }
        }
        for start in stride(from: 0, to: changed.count, by: Self.entriesAtOnce) {
            try store(changed[start..<min(start + Self.entriesAtOnce, changed.count)])
        }
        writeState.entries.markSaved()
    }

    private func store(_ entries: ArraySlice<(key: String, text: String)>) throws {
        let values = entries.map { _ in "(?, ?)" }.joined(separator: ", ")
        let statement = try statements.statement(
            """
            INSERT INTO cabinet_entry (key, value) VALUES \(values) \
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """)
        for (index, entry) in entries.enumerated() {
            try statement.bind(entry.key, at: Int32(2 * index + 1))
            try statement.bind(entry.text, at: Int32(2 * index + 2))
        }
        try statement.run()
    }

    private func text(of statement: Statement, _ column: Int32) throws -> String {
        guard let text = statement.string(column) else {
            throw SQLiteFailure.damaged(path: path, "cabinet_entry has a row whose key or value is not a text")
        }
        return text
    }
}
