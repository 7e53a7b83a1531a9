import CSQLite
import Cabinet
import SQLSupport

/// The entries that the core stores under keys.
extension Connection {
    /// Returns the texts of entries; `nil` for entries that do not exist.
    func entries(_ keys: [StorageKey]) throws -> [String?] {
        var texts = [String?](repeating: nil, count: keys.count)
        guard !catalog.isEmptyFile, !keys.isEmpty else { return texts }
        if keys.count <= EntryStatement.fewest {
            try forEachEntry(keys[...]) { key, text in
                for index in keys.indices where Self.isSame(keys[index].text, key) { texts[index] = try text() }
            }
            return texts
        }
        // Adjacent keys are adjacent in the table too, and the statement returns the entries in this order.
        let order = keys.indices.sorted { keys[$0].text < keys[$1].text }
        let sorted = order.map { keys[$0] }
        var start = 0
        while start < sorted.count {
            let end = EntryStatement.end(from: start, of: sorted.count)
            var next = start
            try forEachEntry(sorted[start..<end]) { key, text in
                let isFound = { Self.isSame(sorted[$0].text, key) }
                next = (next..<end).first(where: isFound) ?? (start..<end).first(where: isFound) ?? end
                while next < end, isFound(next) {
                    texts[order[next]] = try text()
                    next += 1
                }
            }
            start = end
        }
        return texts
    }

    /// Calls a closure with the key of each entry that exists, and a closure that returns its text.
    private func forEachEntry(
        _ keys: ArraySlice<StorageKey>, _ body: (UnsafeBufferPointer<UInt8>, () throws -> String) throws -> Void
    ) throws {
        let statement = try statements.statement(EntryStatement.reading(keys.count))
        defer { statement.reset() }
        textBuffer.clear()
        for (number, key) in keys.enumerated() {
            try statement.bind(key.text, at: Int32(number + 1), in: textBuffer)
        }
        while try statement.step() { try body(try utf8(of: statement, 0)) { try text(of: statement, 1) } }
    }

    /// Returns the texts of entries in the current write transaction, including those that are not in the table yet.
    func knownEntries(_ keys: [StorageKey]) throws -> [String?] {
        if keys.count > KnownEntries.countLimit {
            // They are too many to be remembered.
            try storeEntries()
            return try entries(keys)
        }
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

    /// Stores and removes more entries than are remembered, at once.
    ///
    /// Of several changes of an entry, the last one counts.
    func setEntries(_ entries: [(key: StorageKey, text: String?)]) throws {
        try storeEntries()
        let order = entries.indices.sorted { left, right in
            let (leftKey, rightKey) = (entries[left].key.text, entries[right].key.text)
            return leftKey == rightKey ? left < right : leftKey < rightKey
        }
        guard let first = order.first, let last = order.last else { return }
        writeState.known.forget(from: entries[first].key, through: entries[last].key)
        var sorted: [(key: StorageKey, text: String?)] = []
        sorted.reserveCapacity(order.count)
        for index in order {
            if sorted.last?.key == entries[index].key { sorted.removeLast() }
            sorted.append(entries[index])
        }
        try write(sorted.filter { $0.text == nil }, areRemoved: true)
        try write(sorted.filter { $0.text != nil }, areRemoved: false)
    }

    /// Writes the entries that the transaction has set.
    func storeEntries() throws {
        if writeState.pendingEntries.isEmpty { return }
        var changed: [(key: StorageKey, text: String?)] = []
        var removed: [(key: StorageKey, text: String?)] = []
        for (key, text) in writeState.pendingEntries {
            if text == nil { removed.append((key, text)) } else { changed.append((key, text)) }
        }
        // Adjacent keys are adjacent in the table too, which pays for more than one statement.
        if removed.count > EntryStatement.fewest { removed.sort { $0.key.text < $1.key.text } }
        if changed.count > EntryStatement.fewest { changed.sort { $0.key.text < $1.key.text } }
        try write(removed, areRemoved: true)
        try write(changed, areRemoved: false)
        writeState.pendingEntries = [:]
    }

    private func write(_ entries: [(key: StorageKey, text: String?)], areRemoved: Bool) throws {
        var start = 0
        while start < entries.count {
            let end = EntryStatement.end(from: start, of: entries.count)
            let count = end - start
            let statement = try statements.statement(
                areRemoved ? EntryStatement.removing(count) : EntryStatement.writing(count))
            textBuffer.clear()
            var parameter: Int32 = 0
            for entry in entries[start..<end] {
                parameter += 1
                try statement.bind(entry.key.text, at: parameter, in: textBuffer)
                if areRemoved { continue }
                parameter += 1
                try statement.bind(entry.text, at: parameter, in: textBuffer)
            }
            try statement.run()
            start = end
        }
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
    /// The largest number of entries for which there is a statement of each number.
    ///
    /// Most transactions need only a few entries.
    static let fewest = 8

    /// The number of entries in a statement for many, as a mirror has: one for each record.
    ///
    /// In the order of their keys, these take a third of the time of as many in statements for a few.
    private static let most = 64

    /// Returns the end of the entries that one statement has from a position on.
    static func end(from start: Int, of count: Int) -> Int {
        let rest = count - start
        return start + (rest >= most ? most : min(rest, fewest))
    }

    static func reading(_ count: Int) -> String { count == most ? manyReading : fewReading[count] }
    static func writing(_ count: Int) -> String { count == most ? manyWriting : fewWriting[count] }
    static func removing(_ count: Int) -> String { count == most ? manyRemoving : fewRemoving[count] }

    private static let manyReading = readingStatement(most)
    private static let manyWriting = writingStatement(most)
    private static let manyRemoving = removingStatement(most)

    /// The statements by number of entries.
    private static let fewReading = (0...fewest).map(readingStatement)
    private static let fewWriting = (0...fewest).map(writingStatement)
    private static let fewRemoving = (0...fewest).map(removingStatement)

    private static func readingStatement(_ count: Int) -> String {
        "SELECT key, value FROM cabinet_entry WHERE key IN (\(list("?", count)))"
    }

    private static func writingStatement(_ count: Int) -> String {
        """
        INSERT INTO cabinet_entry (key, value) VALUES \(list("(?, ?)", count)) \
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """
    }

    private static func removingStatement(_ count: Int) -> String {
        "DELETE FROM cabinet_entry WHERE key IN (\(list("?", count)))"
    }

    private static func list(_ element: String, _ count: Int) -> String {
        Array(repeating: element, count: count).joined(separator: ", ")
    }
}
