/// The records of a database: a table for each type, and the place of each record.
struct MemoryRecords: Sendable {
    private struct Place {
        var table: Int
        var row: Int
    }

    private var tables: [MemoryTable] = []
    private var tableNumbers: [Record.RecordType: Int] = [:]
    private var places: [RecordID: Place] = [:]

    /// How many there are, of all types.
    var count: Int { places.count }

    var ids: some Collection<RecordID> { places.keys }

    subscript(id: RecordID) -> StoredRecord? {
        places[id].map { tables[$0.table].rows[$0.row] }
    }

    /// The records of a type; `nil` if there was never one.
    func table(of type: Record.RecordType) -> MemoryTable? {
        tableNumbers[type].map { tables[$0] }
    }

    /// Puts a record in the place of the one with its ID, or adds it.
    ///
    /// - Returns: The record that was there.
    @discardableResult
    mutating func put(_ record: StoredRecord) -> StoredRecord? {
        let id = record.recordID
        guard let place = places[id] else {
            add(record)
            return nil
        }
        let old = tables[place.table].rows[place.row]
        if tables[place.table].recordType == record.recordType {
            tables[place.table].replace(at: place.row, with: record)
        } else {
            remove(id)
            add(record)
        }
        return old
    }

    private mutating func add(_ record: StoredRecord) {
        let table = number(ofTableFor: record.recordType)
        places[record.recordID] = Place(table: table, row: tables[table].rows.count)
        tables[table].append(record)
    }

    private mutating func number(ofTableFor type: Record.RecordType) -> Int {
        if let number = tableNumbers[type] { return number }
        tableNumbers[type] = tables.count
        tables.append(MemoryTable(recordType: type))
        return tables.count - 1
    }

    /// Removes a record.
    ///
    /// - Returns: The record that was there.
    @discardableResult
    mutating func remove(_ id: RecordID) -> StoredRecord? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        let old = tables[place.table].rows[place.row]
        if let moved = tables[place.table].remove(at: place.row) { places[moved.recordID] = place }
        return old
    }
}
