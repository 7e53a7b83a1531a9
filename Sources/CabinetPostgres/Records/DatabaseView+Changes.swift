import Cabinet
import Foundation

/// What has changed since a number, and which deletions are remembered.
extension DatabaseView {
    /// Reserves consecutive sequence numbers; the database's row, which nobody else can change meanwhile, is written at the end.
    ///
    /// - Returns: The first of them.
    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        _ = try writableID()
        let last = row?.sequence ?? 0
        let (end, overflow) = last.addingReportingOverflow(Int64(max(count, 1)))
        // One is left, so that nobody who counts beyond the last number gets into trouble.
        guard !overflow, end < .max else {
            throw CabinetError(
                .limitExceeded, "The database has used all sequence numbers. Copy its records into a new store.")
        }
        beginTimeline(at: last + 1)
        row?.sequence = end
        return last + 1
    }

    /// Reads what has changed in a zone: where the page ends first, and then from each table's index what is on it.
    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) throws -> [StoredChange] {
        guard let databaseID, let zone = try self.number(of: zoneID) else { return [] }
        let page: [SQLValue] = [.integer(databaseID), .integer(zone), .integer(number)]
        let deletions = name("cabinet_deletion")
        let sources =
            catalog.tables.map { (table: $0.quoted, names: (#""___database""#, #""___zone""#, #""___etag""#)) }
            + [(deletions, ("database", "zone", "sequence"))]
        let numbers = sources.map { table, names in
            """
            (SELECT \(names.2) AS n FROM \(table) WHERE \(names.0) = $1 AND \(names.1) = $2 AND \(names.2) > $3 \
            ORDER BY n LIMIT $4)
            """
        }
        let end = try query(
            """
            SELECT max(n) FROM (SELECT n FROM (\(numbers.joined(separator: " UNION ALL "))) AS a ORDER BY n LIMIT $4) \
            AS b
            """, page + [.integer(Int64(limit))])
        guard let last = end.first?.integer(0) else { return [] }
        var found: [StoredChange] = []
        for table in catalog.tables {
            var decoder = RowDecoder(table: table, keys: keys, known: .zone(zoneID))
            try connection.enqueue(
                """
                SELECT \(decoder.selection(from: "t")) FROM \(table.quoted) AS t WHERE t."___database" = $1 \
                AND t."___zone" = $2 AND t."___etag" > $3 AND t."___etag" <= $4
                """, page + [.integer(last)], isPrepared: keys == nil
            ) { [self] result in
                for row in result.rows { found.append(.saved(try decoder.decode(row, in: self))) }
            }
        }
        try connection.enqueue(
            """
            SELECT "recordName", "recordType", sequence, date FROM \(deletions) \
            WHERE database = $1 AND zone = $2 AND sequence > $3 AND sequence <= $4
            """, page + [.integer(last)]
        ) { result in
            for row in result.rows { found.append(.deleted(try Self.deletion(row, in: zoneID))) }
        }
        try connection.flush()
        return Array(found.sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit))
    }

    private static func deletion(_ row: QueryRow, in zoneID: RecordZone.ID) throws -> StoredDeletion {
        guard let name = row.text(0), let recordType = row.text(1), let number = row.integer(2),
            let date = row.double(3)
        else { throw PostgresFailure.damaged("cabinet_deletion has a row without a record name, type, number or date") }
        return StoredDeletion(
            recordID: RecordID(recordName: StoredText.decoded(name), zoneID: zoneID),
            recordType: StoredText.decoded(recordType), sequenceNumber: number,
            date: Date(timeIntervalSinceReferenceDate: date))
    }

    /// Forgets old deletions in a zone.
    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) throws {
        let databaseID = try writableID()
        guard let zone = try number(of: zoneID), row?.hasDeletions == true else { return }
        let deletions = name("cabinet_deletion")
        // What is forgotten ends before the oldest of the last so many, or before the oldest that is young.
        try connection.enqueue(
            """
            WITH ending AS (SELECT greatest(\
            coalesce((SELECT sequence FROM \(deletions) WHERE database = $1 AND zone = $2 \
            ORDER BY sequence DESC LIMIT 1 OFFSET $3), 0), \
            coalesce((SELECT sequence - 1 FROM \(deletions) WHERE database = $1 AND zone = $2 AND date >= $4 \
            ORDER BY sequence LIMIT 1), \(Int64.max))) AS number), \
            gone AS (DELETE FROM \(deletions) WHERE database = $1 AND zone = $2 \
            AND sequence <= (SELECT number FROM ending) RETURNING sequence) \
            UPDATE \(name("cabinet_zone")) SET expiration = greatest(expiration, \
            coalesce((SELECT max(sequence) FROM gone), 0)) WHERE database = $1 AND zone = $2
            """,
            [
                .integer(databaseID), .integer(zone), .integer(Int64(max(count, 0))),
                .double(date.timeIntervalSinceReferenceDate),
            ])
    }
}
