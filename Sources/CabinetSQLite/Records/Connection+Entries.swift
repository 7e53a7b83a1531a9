import CSQLite
import Cabinet
import SQLSupport

/// The entries that the core stores under keys.
extension Connection {
    /// Returns the texts of entries; `nil` for entries that do not exist.
    func entries(_ keys: [StorageKey]) throws -> [String?] {
        var texts = [String?](repeating: nil, count: keys.count)
        guard !catalog.isEmptyFile else { return texts }
        for start in stride(from: 0, to: keys.count, by: EntryStatement.limit) {
            let part = start..<min(start + EntryStatement.limit, keys.count)
            let statement = try statements.statement(EntryStatement.reading[part.count])
            defer { statement.reset() }
            for index in part { try statement.bind(keys[index].text, at: Int32(index - start + 1)) }
            while try statement.step() {
                let key = try utf8(of: statement, 0)
                for index in part where Self.isSame(keys[index].text, key) {
                    texts[index] = try text(of: statement, 1)
                }
            }
        }
        return texts
    }

    /// Returns the texts of entries in the current write transaction, including those that are not in the table yet.
    func knownEntries(_ keys: [StorageKey]) throws -> [String?] {
        func known(_ key: StorageKey) -> String?? { writeState.pendingEntries[key] ?? writeState.known[key] }
        let unknown = keys.filter { known($0) == nil }
        if unknown.isEmpty { return keys.map { known($0) ?? nil } }
        let texts = Dictionary(zip(unknown, try entries(unknown)), uniquingKeysWith: { first, _ in first })
        defer { for (key, text) in texts { writeState.known.set(text, for: key) } }
        return keys.map { known($0) ?? texts[$0] ?? nil }
    }

    /// Returns the entries of a range in the current write transaction, including those that are not in the table yet.
    func knownEntries(in range: Range<StorageKey>) throws -> [StorageEntry] {
        if let known = writeState.known[range] { return known }
        let found = try entries(in: range, limit: .max)
        writeState.known.set(found, in: range)
        return found
    }

    /// Returns entries in the order of their keys.
    func entries(in range: Range<StorageKey>, limit: Int) throws -> [StorageEntry] {
        guard !catalog.isEmptyFile, !range.isEmpty else { return [] }
        if writeState.pendingEntries.keys.contains(where: range.contains) { try storeEntries() }
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

    /// The limit of entries that wait to be stored.
    static let mostPendingEntries = 256

    /// Stores a text under a key, or removes the entry.
    func setEntry(_ key: StorageKey, _ text: String?) throws {
        writeState.pendingEntries.updateValue(text, forKey: key)
        writeState.known.set(text, for: key)
        if writeState.pendingEntries.count > Self.mostPendingEntries { try storeEntries() }
    }

    /// Writes the entries that the transaction has set.
    func storeEntries() throws {
        if writeState.pendingEntries.isEmpty { return }
        var changed: [(key: String, text: String)] = []
        var removed: [String] = []
        for (key, text) in writeState.pendingEntries {
            if let text { changed.append((key.text, text)) } else { removed.append(key.text) }
        }
        // Adjacent keys are adjacent in the table too.
        removed.sort()
        for start in stride(from: 0, to: removed.count, by: EntryStatement.limit) {
            try remove(removed[start..<min(start + EntryStatement.limit, removed.count)])
        }
        for start in stride(from: 0, to: changed.count, by: EntryStatement.limit) {
            try store(changed[start..<min(start + EntryStatement.limit, changed.count)])
        }
        writeState.pendingEntries = [:]
    }

    private func store(_ entries: ArraySlice<(key: String, text: String)>) throws {
        let statement = try statements.statement(EntryStatement.writing[entries.count])
        for (index, entry) in entries.enumerated() {
            try statement.bind(entry.key, at: Int32(2 * index + 1))
            try statement.bind(entry.text, at: Int32(2 * index + 2))
        }
        try statement.run()
    }

    private func remove(_ keys: ArraySlice<String>) throws {
        let statement = try statements.statement(EntryStatement.removing[keys.count])
        for (index, key) in keys.enumerated() { try statement.bind(key, at: Int32(index + 1)) }
        try statement.run()
    }

    private func text(of statement: Statement, _ column: Int32) throws -> String {
        guard let text = Statement.string(try utf8(of: statement, column)) else { throw damagedEntry }
        return text
    }

    private func utf8(of statement: Statement, _ column: Int32) throws -> UnsafeBufferPointer<UInt8> {
        guard statement.kind(column) == SQLITE_TEXT else { throw damagedEntry }
        return statement.utf8(column)
    }

    private static func isSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var text = text
        return text.withUTF8 { $0.count == bytes.count && $0.elementsEqual(bytes) }
    }

    private var damagedEntry: CabinetError {
        SQLiteFailure.damaged(path: path, "cabinet_entry has a row whose key or value is not a text")
    }
}

/// The statements that read, write and remove several entries.
private enum EntryStatement {
    /// The largest number of entries in a statement.
    ///
    /// The core needs only a few at a time.
    static let limit = 8

    /// The statements by number of entries.
    static let reading = (0...limit).map { count in
        "SELECT key, value FROM cabinet_entry WHERE key IN (\(list("?", count)))"
    }

    /// The statements by number of entries.
    static let writing = (0...limit).map { count in
        """
        INSERT INTO cabinet_entry (key, value) VALUES \(list("(?, ?)", count)) \
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """
    }

    /// The statements by number of entries.
    static let removing = (0...limit).map { count in
        "DELETE FROM cabinet_entry WHERE key IN (\(list("?", count)))"
    }

    private static func list(_ element: String, _ count: Int) -> String {
        Array(repeating: element, count: count).joined(separator: ", ")
    }
}
