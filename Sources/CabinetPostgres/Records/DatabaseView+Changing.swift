import Cabinet
import Foundation

/// Changes of records, in a transaction under way.
///
/// They are sent and not waited for: what a transaction reads next, or its end, waits for them too.
extension DatabaseView {
    /// The most records that one statement writes.
    private static let batchSize = 2000

    /// Stores records whose IDs are not stored yet.
    func insert(_ records: [StoredRecord]) throws {
        let databaseID = try writableID()
        try forEachBatch(of: records) { table, batch in
            let arrays = try ColumnArrays(batch, in: table, database: databaseID)
            try connection.enqueue(arrays.insertion(into: table), [.integer(databaseID)] + arrays.parameters)
            try insertListReferences(of: batch, in: table)
            if row?.hasDeletions == true {
                try connection.enqueue(
                    """
                    DELETE FROM \(name("cabinet_deletion")) AS d \(Self.using) \
                    WHERE d.database = $1 AND d.zone = w.zone AND d."recordName" = w.name COLLATE "C"
                    """, Self.keys(databaseID, batch))
            }
            for (record, _) in batch { write?.tables[record.recordID] = table.id }
        }
    }

    /// Replaces stored records.
    func update(_ records: [StoredRecord]) throws {
        let databaseID = try writableID()
        try forEachBatch(of: records) { table, batch in
            let arrays = try ColumnArrays(batch, in: table, database: databaseID)
            let ids = batch.map(\.record.recordID)
            try connection.enqueue(arrays.update(of: table), [.integer(databaseID)] + arrays.parameters) { result in
                guard result.affectedCount == batch.count else { throw Self.notStored(ids) }
            }
            if !table.referenceLists.isEmpty {
                try removeListReferences(Self.keys(databaseID, batch))
                try insertListReferences(of: batch, in: table)
            }
            // Whether they are there must be known before the transaction ends.
            if ids.contains(where: { write?.tables[$0] == nil }) { try connection.flush() }
        }
    }

    /// Removes stored records, and remembers that they are gone.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) throws {
        let databaseID = try writableID()
        if ids.isEmpty { return }
        if ids.contains(where: { write?.tables[$0] == nil }) {
            // Which tables they are in must be known.
            let found = try records(for: ids, keys: [])
            let missing = zip(ids, found).filter { $0.1 == nil }.map(\.0)
            if !missing.isEmpty { throw Self.notStored(missing) }
        }
        var removals: [Int64: Removals] = [:]
        for (index, id) in ids.enumerated() {
            guard let table = write?.tables[id], let zone = try number(of: id.zoneID) else {
                throw Self.notStored([id])
            }
            removals[table, default: Removals()].add(id, zone: zone, number: firstSequenceNumber + Int64(index))
            write?.tables[id] = nil
        }
        for table in catalog.tables {
            guard let removals = removals[table.id] else { continue }
            let keys = removals.keys(databaseID)
            try connection.enqueue(
                """
                WITH gone AS (DELETE FROM \(table.quoted) AS t \
                USING unnest($2::bigint[], $3::text[], $4::bigint[]) AS w(zone, name, sequence) \
                WHERE t."___database" = $1 AND t."___zone" = w.zone AND t."___recordID" = w.name COLLATE "C" \
                RETURNING w.zone, w.name, w.sequence) \
                INSERT INTO \(name("cabinet_deletion")) (database, zone, sequence, "recordName", "recordType", date) \
                SELECT $1, zone, sequence, name, $5, $6 FROM gone
                """,
                keys + [
                    .integers(removals.numbers), .text(StoredText.encoded(table.recordType)),
                    .double(date.timeIntervalSinceReferenceDate),
                ]
            ) { result in
                guard result.affectedCount == removals.ids.count else { throw Self.notStored(removals.ids) }
            }
            if !table.referenceLists.isEmpty { try removeListReferences(keys) }
        }
        row?.hasDeletions = true
    }

    /// The database's number; there is one in every write.
    func writableID() throws -> Int64 {
        guard let databaseID, write != nil else {
            throw CabinetError(.internalError, "The transaction cannot change the database.")
        }
        write?.hasChanges = true
        return databaseID
    }

    private static func notStored(_ ids: [RecordID]) -> CabinetError {
        CabinetError(
            .unknownItem, ids.count == 1 ? "No record with this ID is stored." : "Not all of the records are stored.",
            recordID: ids.first)
    }

    /// Hands on records of one table at a time, and not too many.
    private func forEachBatch(
        of records: [StoredRecord], _ body: (Table, [(record: StoredRecord, zone: Int64)]) throws -> Void
    ) throws {
        var batches: [Record.RecordType: [(record: StoredRecord, zone: Int64)]] = [:]
        var order: [Record.RecordType] = []
        for record in records {
            let zone = try addedNumber(of: record.recordID.zoneID)
            if batches[record.recordType] == nil { order.append(record.recordType) }
            batches[record.recordType, default: []].append((record, zone))
        }
        for recordType in order {
            guard let table = catalog.tablesByType[recordType], let batch = batches[recordType] else {
                throw CabinetError(
                    .invalidArguments, "The schema has no record type '\(recordType)'.",
                    recordID: batches[recordType]?.first?.record.recordID)
            }
            for start in stride(from: 0, to: batch.count, by: Self.batchSize) {
                try body(table, Array(batch[start..<min(start + Self.batchSize, batch.count)]))
            }
        }
    }
}

/// Records of one table that are to be removed.
private struct Removals {
    var ids: [RecordID] = []
    var zones: [Int64?] = []
    var names: [String?] = []
    var numbers: [Int64?] = []

    mutating func add(_ id: RecordID, zone: Int64, number: Int64) {
        ids.append(id)
        zones.append(zone)
        names.append(StoredText.encoded(id.recordName))
        numbers.append(number)
    }

    func keys(_ database: Int64) -> [SQLValue] { [.integer(database), .integers(zones), .texts(names)] }
}

// MARK: - References in lists

extension DatabaseView {
    /// The keys of some records, as a statement that changes others' rows takes them.
    static let using = "USING unnest($2::bigint[], $3::text[]) AS w(zone, name)"

    static func keys(_ database: Int64, _ records: [(record: StoredRecord, zone: Int64)]) -> [SQLValue] {
        [
            .integer(database), .integers(records.map(\.zone)),
            .texts(records.map { StoredText.encoded($0.record.recordID.recordName) }),
        ]
    }

    fileprivate func removeListReferences(_ keys: [SQLValue]) throws {
        try connection.enqueue(
            """
            DELETE FROM \(name("cabinet_list_reference")) AS r \(Self.using) \
            WHERE r.database = $1 AND r.zone = w.zone AND r.source = w.name COLLATE "C"
            """, keys)
    }

    /// Registers the references with a delete rule in records' lists.
    fileprivate func insertListReferences(
        of records: [(record: StoredRecord, zone: Int64)], in table: Table
    ) throws {
        var zones: [Int64?] = []
        var targets: [String?] = []
        var sources: [String?] = []
        var fields: [String?] = []
        var positions: [Int64?] = []
        var actions: [Int64?] = []
        for field in table.referenceLists.map({ table.columns[$0].field }) {
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
