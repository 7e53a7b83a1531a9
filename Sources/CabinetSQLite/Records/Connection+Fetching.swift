import Cabinet

extension Connection {
    /// Loads what a view is asked for.
    func load(_ keys: StorageKeys) throws -> StorageValues {
        StorageValues(
            records: try records(for: keys.records, keys: keys.fields), existing: try keys.existing.map(isStored),
            entries: try keys.entries.map(entry),
            entryRanges: try keys.entryRanges.map { try entries(in: $0, limit: .max) },
            schema: catalog.schema)
    }

    /// Loads what a write transaction is asked for, and records where it was found: it may be changed next.
    func loadForWriting(_ keys: StorageKeys) throws -> StorageValues {
        var locations: [(RecordID, RecordLocation)] = []
        let records = try records(for: keys.records, keys: keys.fields) { locations.append(($0, $1)) }
        writeState.add(locations)
        return StorageValues(
            records: records, existing: try keys.existing.map(isStored), entries: try keys.entries.map(knownEntry),
            entryRanges: try keys.entryRanges.map { try entries(in: $0, limit: .max) }, schema: catalog.schema,
            origin: origin.name)
    }

    /// Gets records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to get, or `nil` for all.
    ///   - found: Called with each record that exists.
    /// - Returns: An element for each ID, `nil` where there is no such record.
    func records(
        for ids: [RecordID], keys: [Record.FieldKey]?, found: (RecordID, RecordLocation) -> Void = { _, _ in }
    ) throws -> [StoredRecord?] {
        if ids.isEmpty { return [] }
        guard !catalog.isEmptyFile else { return Array(repeating: nil, count: ids.count) }
        let fetcher = RecordFetcher(keys: keys, connection: self)
        return try ids.map { id in
            guard let (location, record) = try fetcher.fetch(id) else { return nil }
            found(id, location)
            return record
        }
    }

    /// Whether a record is stored.
    private func isStored(_ id: RecordID) throws -> Bool {
        guard !catalog.isEmptyFile, let zone = try number(of: id.zoneID) else { return false }
        return try location(of: id.recordName, zone: zone) != nil
    }
}

/// Gets one record after the other by ID; what the last one needed is at hand for the next.
private final class RecordFetcher {
    private let keys: [Record.FieldKey]?
    private let connection: Connection
    private var zone: (zoneID: RecordZone.ID, id: Int64) = (.default, Layout.defaultZone)
    private var reader: RowReader?

    init(keys: [Record.FieldKey]?, connection: Connection) {
        self.keys = keys
        self.connection = connection
    }

    func fetch(_ id: RecordID) throws -> (RecordLocation, StoredRecord)? {
        if id.zoneID != zone.zoneID {
            guard let number = try connection.number(of: id.zoneID) else { return nil }
            zone = (id.zoneID, number)
        }
        guard let found = try connection.location(of: id.recordName, zone: zone.id) else { return nil }
        let reader = try reader(of: found.table)
        return (
            RecordLocation(table: reader.decoder.table, row: found.row),
            try reader.record(in: found.row, recordID: id, on: connection)
        )
    }

    private func reader(of type: Int64) throws -> RowReader {
        if let reader, reader.decoder.table.id == type { return reader }
        let table = try connection.table(type)
        let reader: RowReader
        if let keys {
            let decoder = RowDecoder(table: table, keys: keys, path: connection.path)
            let statement = try connection.statements.statement(
                "SELECT \(decoder.selection) FROM \(table.quoted) WHERE \"___insertion\" = ?")
            reader = RowReader(statement: statement, decoder: decoder)
        } else {
            let statements = try connection.statements(for: table)
            reader = RowReader(statement: statements.fetch, decoder: statements.decoder)
        }
        self.reader = reader
        return reader
    }
}

/// Reads rows of one table by number: a class, so that its decoder changes in place.
private final class RowReader {
    private(set) var decoder: RowDecoder
    private let statement: Statement

    init(statement: Statement, decoder: RowDecoder) {
        self.statement = statement
        self.decoder = decoder
    }

    /// The record in a row, in which it must be.
    func record(in row: Int64, recordID: RecordID, on connection: Connection) throws -> StoredRecord {
        try statement.bind(row, at: 1)
        defer { statement.reset() }
        guard try statement.step() else {
            throw SQLiteFailure.damaged(
                path: connection.path,
                "cabinet_record says that record \(recordID) is row \(row) of table \(decoder.table.name), "
                    + "which is not there"
            )
        }
        return try decoder.decode(statement, recordID: recordID, on: connection)
    }
}
