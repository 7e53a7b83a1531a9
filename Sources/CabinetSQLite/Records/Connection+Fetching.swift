import Cabinet
import SQLSupport

extension Connection {
    /// Loads values for a snapshot.
    func load(_ keys: StorageKeys) throws -> StorageValues {
        StorageValues(
            records: try records(for: keys.records, keys: keys.fields), existing: try keys.existing.map(isStored),
            entries: try entries(keys.entries),
            entryRanges: try keys.entryRanges.map { try entries(in: $0, limit: .max) },
            schema: catalog.schema)
    }

    /// Loads values for a write transaction, and remembers the locations of the records for later changes.
    func loadForWriting(_ keys: StorageKeys) throws -> StorageValues {
        var locations: [(RecordID, RecordLocation)] = []
        var records: [StoredRecord?]
        if let located = try locatedRecords(for: keys.records, keys: keys.fields) {
            records = located
            let others = located.indices.filter { located[$0] == nil }
            let found = try self.records(for: others.map { keys.records[$0] }, keys: keys.fields) {
                locations.append(($0, $1))
            }
            for (position, record) in zip(others, found) { records[position] = record }
        } else {
            records = try self.records(for: keys.records, keys: keys.fields) { locations.append(($0, $1)) }
        }
        writeState.add(locations)
        return StorageValues(
            records: records, existing: try keys.existing.map(isStored), entries: try knownEntries(keys.entries),
            entryRanges: try keys.entryRanges.map(knownEntries(in:)), schema: catalog.schema,
            origin: origin.name)
    }

    /// Returns records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to read, or `nil` for all.
    ///   - found: Called with each record that exists, unless it is `nil`.
    /// - Returns: An element for each ID; `nil` if the record does not exist.
    func records(
        for ids: [RecordID], keys: [Record.FieldKey]?, found: ((RecordID, RecordLocation) -> Void)? = nil
    ) throws -> [StoredRecord?] {
        if ids.isEmpty { return [] }
        guard !catalog.isEmptyFile else { return Array(repeating: nil, count: ids.count) }
        let fetcher = try RecordFetcher(keys: keys, connection: self)
        return try ids.map { id in
            guard let (reader, row) = try fetcher.find(id) else { return nil }
            let record = try reader.record(in: row, recordID: id, on: self)
            found?(id, RecordLocation(table: reader.decoder.table, row: row))
            return record
        }
    }

    /// The smallest number of records of a table that one statement reads together.
    private static let fewestReadAtOnce = 8

    /// Returns the records with locations that this transaction already knows, such as those that a cascade deletes.
    ///
    /// - Returns: An element for each ID, which is `nil` if the record has no known location; `nil` if there are too few.
    private func locatedRecords(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?]? {
        if ids.count < Self.fewestReadAtOnce || writeState.locations.isEmpty { return nil }
        // The positions of the IDs by type and row: hashing a number takes a fraction of the time of hashing a name.
        var positions: [Int64: [Int64: Int]] = [:]
        for (position, id) in ids.enumerated() {
            if let location = writeState.locations[id] {
                positions[location.table.id, default: [:]][location.row] = position
            }
        }
        var found: [StoredRecord?] = Array(repeating: nil, count: ids.count)
        for (type, rows) in positions where rows.count >= Self.fewestReadAtOnce {
            let table = try table(type)
            let decoder =
                try keys.map { RowDecoder(table: table, keys: $0) } ?? statements(for: table).decoder
            let statement = try statements.statement(
                """
                SELECT \(decoder.selection) FROM \(table.quoted) \
                WHERE "___insertion" IN (SELECT value FROM json_each(?))
                """)
            defer { statement.reset() }
            try statement.bind("[\(rows.keys.sorted().map(String.init).joined(separator: ","))]", at: 1)
            while try statement.step() {
                guard let position = rows[decoder.row(statement)] else { continue }
                found[position] = try decoder.decode(statement, recordID: ids[position], on: self)
            }
        }
        return found
    }

    /// Whether a record is stored.
    private func isStored(_ id: RecordID) throws -> Bool {
        guard !catalog.isEmptyFile, let zone = try number(of: id.zoneID) else { return false }
        return try location(of: id.recordName, zone: zone) != nil
    }
}

/// Reads records one by one, and reuses the objects of the previous record.
private final class RecordFetcher {
    private let keys: [Record.FieldKey]?
    private let connection: Connection
    private let locating: Statement
    private var zone: (zoneID: RecordZone.ID, id: Int64) = (.default, Layout.defaultZone)
    /// The reader of the last record, and the number of its type.
    private var last: (reader: RowReader, type: Int64)?

    init(keys: [Record.FieldKey]?, connection: Connection) throws {
        self.keys = keys
        self.connection = connection
        locating = try connection.locatingStatement()
    }

    /// Returns the row of a record, and the reader for it; `nil` if the record does not exist.
    func find(_ id: RecordID) throws -> (RowReader, row: Int64)? {
        if id.zoneID != zone.zoneID {
            guard let number = try connection.number(of: id.zoneID) else { return nil }
            zone = (id.zoneID, number)
        }
        guard let found = try locating.location(of: id.recordName, zone: zone.id) else { return nil }
        return (try reader(of: found.table), found.row)
    }

    private func reader(of type: Int64) throws -> RowReader {
        if let last, last.type == type { return last.reader }
        let table = try connection.table(type)
        let reader: RowReader
        if let keys {
            let decoder = RowDecoder(table: table, keys: keys)
            let statement = try connection.statements.statement(
                "SELECT \(decoder.selection) FROM \(table.quoted) WHERE \"___insertion\" = ?")
            reader = RowReader(statement: statement, decoder: decoder)
        } else {
            let statements = try connection.statements(for: table)
            reader = RowReader(statement: statements.fetch, decoder: statements.decoder)
        }
        last = (reader, type)
        return reader
    }
}

/// Reads rows of one table by number.
///
/// It is a class so that its decoder changes in place.
private final class RowReader {
    let decoder: RowDecoder
    private let statement: Statement

    init(statement: Statement, decoder: RowDecoder) {
        self.statement = statement
        self.decoder = decoder
    }

    /// Returns the record in a row that must exist.
    func record(in row: Int64, recordID: RecordID, on connection: Connection) throws -> StoredRecord {
        try statement.bind(row, at: 1)
        defer { statement.reset() }
        guard try statement.step() else {
            throw SQLiteFailure.damaged(
                path: connection.path,
                "cabinet_record has the record \(recordID) in row \(row) of table \(decoder.table.name), "
                    + "which does not exist"
            )
        }
        return try decoder.decode(statement, recordID: recordID, on: connection)
    }
}
