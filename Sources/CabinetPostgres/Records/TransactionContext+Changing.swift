import Cabinet
import Foundation
import SQLSupport

/// Changes of records, in the current transaction.
///
/// They are sent without waiting for the answers. The next read of the transaction, or its end, waits for them too. Each batch is
/// encoded once the system has taken the one before it, which bounds the memory.
extension TransactionContext {
    /// The limit of records in one statement.
    private static let batchSize = 200
    /// The limit of bytes of the records in one statement, unless it has only one.
    private static let batchBytes = 4 << 20

    /// Stores records whose IDs are not stored yet.
    func insert(_ records: [StoredRecord]) async throws {
        let databaseID = try writableID()
        try await forEachBatch(of: records) { table, batch in
            let arrays = try ColumnArrays(batch, in: table, database: databaseID)
            try connection.enqueue(arrays.insertion(into: table), [.integer(databaseID)] + arrays.parameters)
            write?.insertedCounts[table.definition.recordType, default: 0] += batch.count
            try insertListReferences(of: batch, in: table)
            try insertAssetUses(of: batch, in: table)
            if row?.hasDeletions == true {
                try delete(
                    from: name("cabinet_deletion"), keyedBy: ("database", "zone", "\"recordName\""),
                    Keys(databaseID, batch))
            }
            // Let the server start on these while the next ones are encoded.
            try await connection.pushAll()
        }
    }

    /// Replaces stored records.
    func update(_ records: [StoredRecord]) async throws {
        let databaseID = try writableID()
        // A statement can change a row only once. Of several versions of a record, the last one counts.
        let last = Dictionary(records.map { ($0.recordID, $0) }, uniquingKeysWith: { $1 })
        try await forEachBatch(of: last.count == records.count ? records : Array(last.values)) { table, batch in
            let arrays = try ColumnArrays(batch, in: table, database: databaseID)
            try connection.enqueue(arrays.update(of: table), [.integer(databaseID)] + arrays.parameters)
            try await connection.pushAll()
            if !table.fields.referenceLists.isEmpty {
                try removeListReferences(Keys(databaseID, batch))
                try insertListReferences(of: batch, in: table)
            }
            if !table.assetColumns.isEmpty {
                try removeAssetUses(Keys(databaseID, batch))
                try insertAssetUses(of: batch, in: table)
            }
        }
    }

    /// Removes stored records, and stores tombstones for them.
    func delete(_ deletions: [StoredDeletion]) throws {
        let databaseID = try writableID()
        for (recordType, deletions) in Dictionary(grouping: deletions, by: \.recordType) {
            let table = try self.table(of: recordType, for: deletions.first?.recordID)
            var keys = Keys(databaseID)
            for deletion in deletions {
                keys.add(deletion.recordID, zone: try addedNumber(of: deletion.recordID.zoneID))
            }
            try delete(from: table.quoted, keyedBy: (#""___database""#, #""___zone""#, #""___recordID""#), keys)
            try connection.enqueue(
                """
                INSERT INTO \(name("cabinet_deletion")) (database, zone, sequence, "recordName", "recordType", date) \
                SELECT $1, v.zone, v.sequence, v.name, $6, v.date \
                FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::double precision[]) \
                AS v(zone, name, sequence, date)
                """,
                keys.parameters + [
                    .integers(deletions.map(\.sequenceNumber)),
                    .doubles(deletions.map(\.date.timeIntervalSinceReferenceDate)),
                    .text(StoredText.encoded(catalog.content.registeredName(of: recordType))),
                ])
            if !table.fields.referenceLists.isEmpty { try removeListReferences(keys) }
            if !table.assetColumns.isEmpty { try removeAssetUses(keys) }
        }
        row?.hasDeletions = true
    }

    /// Removes the tombstones in a zone whose numbers are not above the given one.
    func forgetDeletions(in zoneID: RecordZone.ID, through number: Int64) throws {
        let databaseID = try writableID()
        guard let zone = try self.number(of: zoneID), row?.hasDeletions == true else { return }
        try connection.enqueue(
            "DELETE FROM \(name("cabinet_deletion")) WHERE database = $1 AND zone = $2 AND sequence <= $3",
            [.integer(databaseID), .integer(zone), .integer(number)])
    }

    /// Returns the database's number, which every write has.
    func writableID() throws -> Int64 {
        guard hasSnapshot, let databaseID, write != nil else {
            throw CabinetError(.internalError, "The transaction cannot change the database.")
        }
        write?.hasChanges = true
        return databaseID
    }

    private func table(of recordType: Record.RecordType, for id: RecordID?) throws -> Table {
        guard let table = catalog.tablesByType[recordType] else {
            throw CabinetError.noRecordType(recordType, for: id)
        }
        return table
    }

    /// Passes on records of one table at a time, in batches.
    private func forEachBatch(
        of records: [StoredRecord], _ body: (Table, [(record: StoredRecord, zone: Int64)]) async throws -> Void
    ) async throws {
        var byType: [Record.RecordType: [StoredRecord]] = [:]
        if let first = records.first, records.allSatisfy({ $0.recordType == first.recordType }) {
            byType = [first.recordType: records]
        } else {
            byType = Dictionary(grouping: records, by: \.recordType)
        }
        for (recordType, all) in byType {
            let table = try table(of: recordType, for: all.first?.recordID)
            var batch: [(record: StoredRecord, zone: Int64)] = []
            var bytes = 0
            for record in all {
                let size = record.fields.byteCount
                if batch.count == Self.batchSize || bytes + size > Self.batchBytes, !batch.isEmpty {
                    try await body(table, batch)
                    (batch, bytes) = ([], 0)
                }
                bytes += size
                batch.append((record, try addedNumber(of: record.recordID.zoneID)))
            }
            try await body(table, batch)
        }
    }
}

/// The keys of some records of one database.
private struct Keys {
    let database: Int64
    private(set) var zones: [Int64?] = []
    private(set) var names: [String?] = []

    init(_ database: Int64) {
        self.database = database
    }

    init(_ database: Int64, _ records: [(record: StoredRecord, zone: Int64)]) {
        self.init(database)
        for (record, zone) in records { add(record.recordID, zone: zone) }
    }

    mutating func add(_ id: RecordID, zone: Int64) {
        zones.append(zone)
        names.append(StoredText.encoded(id.recordName))
    }

    var parameters: [SQLValue] { [.integer(database), .integers(zones), .texts(names)] }
}

extension TransactionContext {
    /// The limit of rows that are deleted one by one.
    private static let mostSingleDeletions = 40

    /// Deletes the rows of some records.
    ///
    /// For a few rows, one prepared statement each finds them by their keys. For many rows, one statement is planned for this
    /// database: a plan for a database of average size might scan all of its rows.
    ///
    /// - Parameter columns: The columns of the database, the zone and the record's name.
    private func delete(
        from table: String, keyedBy columns: (database: String, zone: String, name: String), _ keys: Keys
    ) throws {
        guard keys.names.count > Self.mostSingleDeletions else {
            for (zone, name) in zip(keys.zones, keys.names) {
                try connection.enqueue(
                    "DELETE FROM \(table) WHERE \(columns.database) = $1 AND \(columns.zone) = $2 AND \(columns.name) = $3",
                    [.integer(keys.database), SQLValue(zone), SQLValue(name)])
            }
            return
        }
        try connection.enqueue(
            """
            DELETE FROM \(table) AS t USING unnest($2::bigint[], $3::text[]) AS w(zone, name) \
            WHERE t.\(columns.database) = $1 AND t.\(columns.zone) = w.zone AND t.\(columns.name) = w.name COLLATE "C"
            """, keys.parameters, isPrepared: false)
    }

    private func removeListReferences(_ keys: Keys) throws {
        try delete(from: name("cabinet_list_reference"), keyedBy: ("database", "zone", "source"), keys)
    }

    private func removeAssetUses(_ keys: Keys) throws {
        try delete(from: name("cabinet_asset_use"), keyedBy: ("database", "zone", "source"), keys)
    }

    /// Stores the references with a delete rule in records' lists.
    fileprivate func insertListReferences(
        of records: [(record: StoredRecord, zone: Int64)], in table: Table
    ) throws {
        var zones: [Int64?] = []
        var targets: [String?] = []
        var sources: [String?] = []
        var fields: [String?] = []
        var positions: [Int64?] = []
        var actions: [Int64?] = []
        for field in table.fields.referenceLists.map({ table.columns[$0].field }) {
            for (record, zone) in records {
                guard case .list(.reference(let references))? = record.fields[field] else { continue }
                for (position, reference) in references.enumerated() where reference.action != .none {
                    zones.append(zone)
                    targets.append(StoredText.encoded(reference.recordID.recordName))
                    sources.append(StoredText.encoded(record.recordID.recordName))
                    fields.append(StoredText.encoded(field))
                    positions.append(Int64(position))
                    actions.append(Int64(reference.action.rawValue))
                }
            }
        }
        if zones.isEmpty { return }
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_list_reference")) (database, zone, target, source, field, position, action) \
            SELECT $1, v.zone, v.target, v.source, v.field, v.position, v.action FROM unnest(\
            $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) \
            AS v(zone, target, source, field, position, action)
            """,
            [
                .integer(try writableID()), .integers(zones), .texts(targets), .texts(sources), .texts(fields),
                .integers(positions), .integers(actions),
            ])
    }
}
