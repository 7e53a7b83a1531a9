import Cabinet
import SQLSupport

/// Updates the full-text and location indexes when records change. SQLite updates B-trees itself.
extension Connection {
    /// Adds a new record to the indexes.
    func addToIndex(_ record: StoredRecord, row: Int64, in table: Table, _ columnMap: ColumnMap) throws {
        for places in table.places {
            if case .location(let place) = columnMap.value(places.position, of: record) {
                try insert(place, row: row, into: places)
            }
        }
        if let words = table.words {
            try insert(words.positions.map { columnMap.value($0, of: record) }, row: row, into: words)
        }
    }

    /// Updates the entries of a changed record if one of the changed columns is indexed.
    func updateIndex(
        _ record: StoredRecord, replacing old: StoredRecord, row: Int64, in table: Table, _ columnMap: ColumnMap,
        changed: [Int]
    ) throws {
        for places in table.places where changed.contains(places.position) {
            try removeFromIndex(old, row: row, from: places, in: table)
            if case .location(let place) = columnMap.value(places.position, of: record) {
                try insert(place, row: row, into: places)
            }
        }
        if let words = table.words, words.positions.contains(where: changed.contains) {
            try removeFromIndex(old, row: row, from: words, in: table)
            try insert(words.positions.map { columnMap.value($0, of: record) }, row: row, into: words)
        }
    }

    private func removeFromIndex(
        _ old: StoredRecord, row: Int64, from places: TableIndexes.Places, in table: Table
    ) throws {
        guard old.fields[table.definition.fields.columns[places.position].field] != nil else { return }
        try remove(row: row, from: places.quoted, key: "id")
    }

    private func removeFromIndex(
        _ old: StoredRecord, row: Int64, from words: TableIndexes.Words, in table: Table
    ) throws {
        guard words.positions.contains(where: { old.fields[table.definition.fields.columns[$0].field] != nil }) else {
            return
        }
        try remove(row: row, from: words.quoted, key: "rowid")
    }

    /// Adds a location to an index.
    func insert(_ place: Location, row: Int64, into places: TableIndexes.Places) throws {
        let statement = try statements.statement(
            "INSERT INTO \(places.quoted) (id, south, north, west, east) VALUES (?, ?, ?, ?, ?)")
        let box = BoundingBox(at: place)
        try statement.bind(row, at: 1)
        try statement.bind(box.south, at: 2)
        try statement.bind(box.north, at: 3)
        try statement.bind(box.west, at: 4)
        try statement.bind(box.east, at: 5)
        try statement.run()
    }

    /// Adds the words of several texts to an index, if there are any.
    func insert(_ texts: [FieldValue?], row: Int64, into words: TableIndexes.Words) throws {
        let stored = IndexedWords.stored(texts)
        guard !stored.isEmpty else { return }
        let statement = try statements.statement("INSERT INTO \(words.quoted) (rowid, words) VALUES (?, ?)")
        try statement.bind(row, at: 1)
        try statement.bind(stored.joined(separator: " "), at: 2)
        try statement.run()
    }

    private func remove(row: Int64, from quoted: String, key: String) throws {
        let statement = try statements.statement("DELETE FROM \(quoted) WHERE \(key) = ?")
        try statement.bind(row, at: 1)
        try statement.run()
    }
}
