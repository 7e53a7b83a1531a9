import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Writes records one by one in the current transaction, and reuses the objects of the previous record.
///
/// It is valid until the tables change.
struct RecordWriter {
    private let connection: Connection
    private var columnMap = ColumnMap()
    private var target: (table: Table, statements: TableStatements)?
    private var zone: (zoneID: RecordZone.ID, number: Int64)?
    private var registration: Statement?
    /// The deletions that are not written yet.
    private var pending: PendingDeletions?

    init(on connection: Connection) {
        self.connection = connection
    }

    /// Inserts a new record.
    mutating func insert(_ record: StoredRecord) throws {
        let recordName = record.recordID.recordName
        let zone = try number(of: record.recordID.zoneID) { try $0.addedNumber(of: $1) } ?? 0
        let (table, prepared) = try target(for: record, inZone: zone)
        let statement = prepared.insertion
        try columnMap.prepare(for: record, in: table.definition.fields)
        let textBuffer = connection.textBuffer
        textBuffer.clear()
        try statement.bind(recordName, at: 1, in: textBuffer)
        try statement.bind(zone, at: 2)
        try statement.bind(record.sequenceNumber, at: 3)
        try statement.bind(record.creationDate.timeIntervalSinceReferenceDate, at: 4)
        try statement.bind(record.creatorName, at: 5, in: textBuffer)
        try statement.bind(record.modificationDate.timeIntervalSinceReferenceDate, at: 6)
        try statement.bind(record.lastModifierName, at: 7, in: textBuffer)
        try statement.bind(record.parentName, at: 8, in: textBuffer)
        let row = record.insertionNumber
        try statement.bind(row, at: 9)
        var index: Int32 = 10
        let columns = table.definition.fields.columns
        for position in columns.indices {
            let column = columns[position]
            try statement.bind(
                columnMap.value(position, of: record), to: column, at: index, of: record.recordID, in: textBuffer)
            index += column.quotedAction == nil ? 1 : 2
        }
        do {
            try statement.run()
        } catch  where sqlite3_extended_errcode(connection.handle.pointer) == SQLiteFailure.primaryKeyIsTaken {
            throw numberIsTaken(record, in: table)
        }
        try connection.forgetDeletion(of: recordName, zone: zone)
        try register(recordName, zone: zone, type: table.definition.id, row: row)
        try connection.insertListReferences(of: record, zone: zone, row: row, in: table)
        try connection.insertListAssets(of: record, row: row, in: table)
        if !table.positionsInVirtualTables.isEmpty { try connection.addToIndex(record, row: row, in: table, columnMap) }
        connection.writeState.add(RecordChange(type: table.definition.id, zone: zone, number: record.sequenceNumber))
    }

    /// Updates a stored record.
    ///
    /// Its insertion number is that of its row. The statement checks the name, so that the row is not looked up before.
    mutating func update(_ record: StoredRecord, replacing old: StoredRecord) throws {
        let (table, prepared) = try target(for: record)
        let id = record.recordID
        let zone = try number(of: id.zoneID) { try $0.number(of: $1) }
        guard let zone else { throw Self.notStored(id) }
        let row = record.insertionNumber
        try columnMap.prepare(for: record, in: table.definition.fields)
        let changed = columnMap.changes(from: old, to: record, in: table)
        let statement = try prepared.update(of: changed)
        connection.textBuffer.clear()
        try statement.bind(record.sequenceNumber, at: 1)
        try statement.bind(record.modificationDate.timeIntervalSinceReferenceDate, at: 2)
        var index: Int32 = 3
        for position in changed { index += try bind(position, of: record, in: table, to: statement, at: index) }
        try statement.bind(row, at: index)
        try statement.bind(id.recordName, at: index + 1, in: connection.textBuffer)
        try statement.bind(zone, at: index + 2)
        try statement.run()
        if sqlite3_changes(connection.handle.pointer) == 0 { return try move(record, replacing: old, to: table) }
        if table.definition.fields.referenceLists.contains(where: { changed.contains($0) }) {
            if old.hasValue(in: table.definition.fields.referenceLists, of: table) {
                try connection.removeListReferences(row: row, in: table)
            }
            try connection.insertListReferences(of: record, zone: zone, row: row, in: table)
        }
        if table.assetLists.contains(where: { changed.contains($0) }) {
            if old.hasValue(in: table.assetLists, of: table) { try connection.removeListAssets(row: row, in: table) }
            try connection.insertListAssets(of: record, row: row, in: table)
        }
        if changed.contains(where: { table.positionsInVirtualTables.contains($0) }) {
            try connection.updateIndex(record, replacing: old, row: row, in: table, columnMap, changed: changed)
        }
        connection.writeState.add(RecordChange(type: table.definition.id, zone: zone, number: record.sequenceNumber))
    }

    /// Updates a record that has another row, because it gets another insertion number.
    private mutating func move(_ record: StoredRecord, replacing old: StoredRecord, to table: Table) throws {
        let known = connection.writeState.locations[record.recordID]
        let (row, zone) = try location(of: record.recordID, in: table, known: known)
        if row == record.insertionNumber {
            throw SQLiteFailure.damaged(
                path: connection.path,
                "cabinet_record has the record \(record.recordID) in row \(row) of table \(table.name), which does not have it"
            )
        }
        try remove(old.recordID, row: row, zone: zone, from: table)
        try insert(record)
    }

    /// Deletes a stored record, and stores its tombstone, at the latest in ``flushDeletions()``.
    mutating func delete(_ deletion: StoredDeletion, replacing old: StoredRecord) throws {
        let (table, _) = try target(for: old)
        let known = connection.writeState.locations.removeValue(forKey: deletion.recordID)
        let (row, zone) = try location(of: deletion.recordID, in: table, known: known)
        if pending?.add(deletion, row: row, of: table, zone: zone) != true {
            try flushDeletions()
            pending = PendingDeletions(deletion, row: row, of: table, zone: zone)
        }
        connection.writeState.add(RecordChange(type: table.definition.id, zone: zone, number: deletion.sequenceNumber))
    }

    private func numberIsTaken(_ record: StoredRecord, in table: Table) -> CabinetError {
        CabinetError(
            .internalError,
            "The record cannot be stored in row \(record.insertionNumber) of table \(table.name) of \(connection.path): "
                + "another record has this insertion number. Check the store for damage; copy records of another store "
                + "into an empty one only.", recordID: record.recordID)
    }

    /// Deletes a record that gets another insertion number, because it was deleted and inserted again in the source of
    /// a copy.
    private func remove(_ id: RecordID, row: Int64, zone: Int64, from table: Table) throws {
        for sql in table.deletions(ofRows: "?") {
            let deletion = try connection.statements.statement(sql)
            try deletion.bind(row, at: 1)
            try deletion.run()
        }
        let deregistration = try connection.statements.statement(
            "DELETE FROM cabinet_record WHERE recordName = ? AND zone = ?")
        try deregistration.bind(id.recordName, at: 1)
        try deregistration.bind(zone, at: 2)
        try deregistration.run()
        connection.writeState.locations[id] = nil
    }

    private mutating func register(_ recordName: String, zone: Int64, type: Int64, row: Int64) throws {
        let statement =
            try registration
            ?? connection.statements.statement(
                "INSERT INTO cabinet_record (recordName, zone, type, row) VALUES (?, ?, ?, ?)")
        registration = statement
        try statement.bind(recordName, at: 1, in: connection.textBuffer)
        try statement.bind(zone, at: 2)
        try statement.bind(type, at: 3)
        try statement.bind(row, at: 4)
        try statement.run()
    }

    /// Writes the pending deletions.
    mutating func flushDeletions() throws {
        guard let pending else { return }
        self.pending = nil
        try pending.write(on: connection)
    }

    /// Binds a column that an update sets.
    ///
    /// - Returns: The number of parameters that the column takes.
    private func bind(
        _ position: Int, of record: StoredRecord, in table: Table, to statement: Statement, at index: Int32
    ) throws -> Int32 {
        let textBuffer = connection.textBuffer
        switch TableStatements.SystemColumn(rawValue: position) {
        case .creationDate: try statement.bind(record.creationDate.timeIntervalSinceReferenceDate, at: index)
        case .creator: try statement.bind(record.creatorName, at: index, in: textBuffer)
        case .modifier: try statement.bind(record.lastModifierName, at: index, in: textBuffer)
        case .parent: try statement.bind(record.parentName, at: index, in: textBuffer)
        case nil:
            let column = table.definition.fields.columns[position]
            try statement.bind(
                columnMap.value(position, of: record), to: column, at: index, of: record.recordID, in: textBuffer)
            return column.quotedAction == nil ? 1 : 2
        }
        return 1
    }
}

// MARK: - Locations

extension RecordWriter {
    /// The table of a record's type.
    private mutating func target(for record: StoredRecord) throws -> (Table, TableStatements) {
        if let target, target.table.recordType == record.recordType { return target }
        guard let table = connection.catalog.tablesByType[record.recordType] else {
            throw CabinetError.noRecordType(record.recordType, for: record.recordID)
        }
        let new = (table, try connection.statements(for: table))
        target = new
        return new
    }

    /// The table of a new record's type.
    ///
    /// The first record outside of the default zone creates the table's index by zone.
    private mutating func target(for record: StoredRecord, inZone zone: Int64) throws -> (Table, TableStatements) {
        let found = try target(for: record)
        if zone == Layout.defaultZone || found.0.hasZoneIndex { return found }
        try connection.createZoneIndex(of: found.0)
        target = nil
        return try target(for: record)
    }

    /// Returns the number of a zone, from a closure unless the previous record was in the same zone.
    private mutating func number(
        of zoneID: RecordZone.ID, find: (Connection, RecordZone.ID) throws -> Int64?
    ) throws -> Int64? {
        if let zone, zone.zoneID == zoneID { return zone.number }
        guard let number = try find(connection, zoneID) else { return nil }
        zone = (zoneID, number)
        return number
    }

    /// Returns the row of a stored record, and the number of its zone.
    ///
    /// - Parameter known: The location of the record, if this transaction has read it.
    private mutating func location(
        of id: RecordID, in table: Table, known: RecordLocation?
    ) throws -> (row: Int64, zone: Int64) {
        guard let zone = try number(of: id.zoneID, find: { try $0.number(of: $1) }) else { throw Self.notStored(id) }
        let type: Int64
        let row: Int64
        if let known {
            (type, row) = (known.table.id, known.row)
        } else if let found = try connection.location(of: id.recordName, zone: zone) {
            (type, row) = found
        } else {
            throw Self.notStored(id)
        }
        guard type == table.id else {
            throw CabinetError(
                .invalidArguments,
                "The record is of type '\(try connection.table(type).recordType)', not '\(table.recordType)'.",
                recordID: id)
        }
        return (row, zone)
    }

    private static func notStored(_ id: RecordID) -> CabinetError {
        CabinetError(.unknownItem, "No record with this ID is stored.", recordID: id)
    }
}

extension StoredRecord {
    /// Whether the record has a value in one of several columns of its table.
    fileprivate func hasValue(in positions: [Int], of table: Table) -> Bool {
        if positions.isEmpty { return false }
        return positions.contains { fields[table.definition.fields.columns[$0].field] != nil }
    }
}
