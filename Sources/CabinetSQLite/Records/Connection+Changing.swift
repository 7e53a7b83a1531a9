import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Changes of records, in a transaction under way.
extension Connection {
    /// Stores records whose IDs are not stored yet.
    func insert(_ records: [StoredRecord]) throws {
        let registration = try statements.statement(
            "INSERT INTO cabinet_record (recordName, zone, type, row) VALUES (?, ?, ?, ?)")
        var slots = FieldSlots()
        var target = WriteTarget(connection: self)
        for record in records {
            let (table, prepared) = try target.table(for: record)
            let statement = prepared.insertion
            let recordName = record.recordID.recordName
            let zone = try target.addedNumber(of: record.recordID.zoneID)
            try slots.prepare(for: record, in: table)
            textBuffer.clear()
            try statement.bind(recordName, at: 1, in: textBuffer)
            try statement.bind(zone, at: 2)
            try statement.bind(record.sequenceNumber, at: 3)
            try statement.bind(record.creationDate.timeIntervalSinceReferenceDate, at: 4)
            try statement.bind(record.creatorName, at: 5, in: textBuffer)
            try statement.bind(record.modificationDate.timeIntervalSinceReferenceDate, at: 6)
            try statement.bind(record.lastModifierName, at: 7, in: textBuffer)
            try statement.bind(record.parentName, at: 8, in: textBuffer)
            var index: Int32 = 9
            for position in table.columns.indices {
                let column = table.columns[position]
                try statement.bind(
                    slots.value(position, of: record), to: column, at: index, of: record.recordID, in: textBuffer)
                index += column.quotedAction == nil ? 1 : 2
            }
            try statement.run()
            let row = sqlite3_last_insert_rowid(handle.pointer)
            try forgetDeletion(of: recordName, zone: zone)
            try registration.bind(recordName, at: 1, in: textBuffer)
            try registration.bind(zone, at: 2)
            try registration.bind(table.id, at: 3)
            try registration.bind(row, at: 4)
            try registration.run()
            try insertListReferences(of: record, zone: zone, row: row, in: table)
            try insertListAssets(of: record, row: row, in: table)
            if !table.positionsInVirtualTables.isEmpty { try enter(record, row: row, in: table, slots) }
        }
    }

    /// Replaces stored records.
    func update(_ records: [StoredRecord]) throws {
        var slots = FieldSlots()
        var target = WriteTarget(connection: self)
        for record in records {
            let (table, prepared) = try target.table(for: record)
            var (location, zone) = try located(record.recordID)
            guard location.table.id == table.id else {
                throw CabinetError(
                    .invalidArguments,
                    "The record is of type '\(location.table.recordType)', not '\(record.recordType)'.",
                    recordID: record.recordID)
            }
            try slots.prepare(for: record, in: table)
            let changed = slots.changes(from: location.stored, to: record, in: table)
            let statement = try prepared.update(of: changed)
            textBuffer.clear()
            try statement.bind(record.sequenceNumber, at: 1)
            try statement.bind(record.modificationDate.timeIntervalSinceReferenceDate, at: 2)
            var index: Int32 = 3
            for position in changed {
                index += try bind(position, of: record, slots, in: table, to: statement, at: index)
            }
            try statement.bind(location.row, at: index)
            try statement.run()
            if table.referenceLists.contains(where: changed.contains) {
                try removeListReferences(row: location.row, in: table)
                try insertListReferences(of: record, zone: zone, row: location.row, in: table)
            }
            if table.assetLists.contains(where: changed.contains) {
                try removeListAssets(row: location.row, in: table)
                try insertListAssets(of: record, row: location.row, in: table)
            }
            if changed.contains(where: table.positionsInVirtualTables.contains) {
                try reenter(record, row: location.row, in: table, slots, changed: changed)
            }
            location.stored = record
            writeState.locations[record.recordID] = location
        }
    }

    /// Removes stored records, and remembers that they are gone.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) throws {
        let deregistration = try statements.statement("DELETE FROM cabinet_record WHERE recordName = ? AND zone = ?")
        for (index, id) in ids.enumerated() {
            let (location, zone) = try located(id)
            let deletion = try statements(for: location.table).deletion
            try deletion.bind(location.row, at: 1)
            try deletion.run()
            try deregistration.bind(id.recordName, at: 1)
            try deregistration.bind(zone, at: 2)
            try deregistration.run()
            if !location.table.referenceLists.isEmpty {
                try removeListReferences(row: location.row, in: location.table)
            }
            if !location.table.assetLists.isEmpty { try removeListAssets(row: location.row, in: location.table) }
            try remember(
                id, zone: zone, type: location.table.id, sequenceNumber: firstSequenceNumber + Int64(index), date: date)
            try strikeOut(row: location.row, in: location.table)
            writeState.locations[id] = nil
        }
    }

    fileprivate func table(for record: StoredRecord) throws -> Table {
        guard let table = catalog.tablesByType[record.recordType] else {
            throw CabinetError(
                .invalidArguments, "The schema has no record type '\(record.recordType)'.", recordID: record.recordID)
        }
        return table
    }

    /// Where a stored record is, and the number of its zone.
    private func located(_ id: RecordID) throws -> (RecordLocation, zone: Int64) {
        guard let zone = try number(of: id.zoneID) else { throw Self.notStored(id) }
        if let known = writeState.locations[id] {
            // The table may have got a column since.
            let table = try table(known.table.id)
            return (RecordLocation(table: table, row: known.row, stored: known.stored), zone)
        }
        guard let found = try location(of: id.recordName, zone: zone) else { throw Self.notStored(id) }
        return (RecordLocation(table: try table(found.table), row: found.row), zone)
    }

    private static func notStored(_ id: RecordID) -> CabinetError {
        CabinetError(.unknownItem, "No record with this ID is stored.", recordID: id)
    }

    /// Binds a column that an update sets.
    ///
    /// - Returns: The number of parameters that the column takes.
    private func bind(
        _ position: Int, of record: StoredRecord, _ slots: FieldSlots, in table: Table, to statement: Statement,
        at index: Int32
    ) throws -> Int32 {
        switch TableStatements.SystemColumn(rawValue: position) {
        case .creationDate: try statement.bind(record.creationDate.timeIntervalSinceReferenceDate, at: index)
        case .creator: try statement.bind(record.creatorName, at: index, in: textBuffer)
        case .modifier: try statement.bind(record.lastModifierName, at: index, in: textBuffer)
        case .parent: try statement.bind(record.parentName, at: index, in: textBuffer)
        case nil:
            let column = table.columns[position]
            try statement.bind(
                slots.value(position, of: record), to: column, at: index, of: record.recordID, in: textBuffer)
            return column.quotedAction == nil ? 1 : 2
        }
        return 1
    }
}

/// Where records go; what the last one needed is at hand for the next.
private struct WriteTarget {
    let connection: Connection
    private var table: (table: Table, statements: TableStatements)?
    private var zone: (zoneID: RecordZone.ID, number: Int64)?

    init(connection: Connection) {
        self.connection = connection
    }

    /// The table of a record's type.
    mutating func table(for record: StoredRecord) throws -> (Table, TableStatements) {
        if let table, table.table.recordType == record.recordType { return table }
        let table = try connection.table(for: record)
        let target = (table, try connection.statements(for: table))
        self.table = target
        return target
    }

    /// The number of a zone, which it gets now if it has none.
    mutating func addedNumber(of zoneID: RecordZone.ID) throws -> Int64 {
        if let zone, zone.zoneID == zoneID { return zone.number }
        let number = try connection.addedNumber(of: zoneID)
        zone = (zoneID, number)
        return number
    }
}
