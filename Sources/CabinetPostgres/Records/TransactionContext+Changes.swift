import Cabinet
import Foundation
import SQLSupport

/// Reading the changes since a number, and the deletions among them.
extension TransactionContext {
    /// Reads the changes in a zone: first the end of the page, and then the part of each table's index within the page.
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        guard let databaseID, let zone = try self.number(of: zoneID) else { return [] }
        let page: [SQLValue] = [.integer(databaseID), .integer(zone), .integer(number)]
        let deletions = name("cabinet_deletion")
        guard case .all(let keys) = content else {
            let found = try await connection.answer(
                "\(Self.selection(from: deletions)) ORDER BY sequence LIMIT $4", page + [.integer(Int64(limit))])
            return try found.rows.map { .deleted(try deletion($0, in: zoneID)) }
        }
        let sources =
            catalog.tables.map { (table: $0.quoted, names: (#""___database""#, #""___zone""#, #""___etag""#)) }
            + [(deletions, ("database", "zone", "sequence"))]
        let numbers = sources.map { table, names in
            """
            (SELECT \(names.2) AS n FROM \(table) WHERE \(names.0) = $1 AND \(names.1) = $2 AND \(names.2) > $3 \
            ORDER BY n LIMIT $4)
            """
        }
        let end = try await connection.answer(
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
            "\(Self.selection(from: deletions)) AND sequence <= $4", page + [.integer(last)]
        ) { [self] result in
            for row in result.rows { found.append(.deleted(try deletion(row, in: zoneID))) }
        }
        try await connection.answers()
        return Array(found.sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit))
    }

    /// Returns the SELECT for deletions in a zone after a number.
    private static func selection(from table: String) -> String {
        """
        SELECT "recordName", "recordType", sequence, date FROM \(table) \
        WHERE database = $1 AND zone = $2 AND sequence > $3
        """
    }

    private func deletion(_ row: QueryRow, in zoneID: RecordZone.ID) throws -> StoredDeletion {
        guard let name = row.text(0), let recordType = row.text(1), let number = row.integer(2),
            let date = row.double(3)
        else { throw PostgresFailure.damaged("cabinet_deletion has a row without a record name, type, number or date") }
        return StoredDeletion(
            recordID: RecordID(recordName: StoredText.decoded(name), zoneID: zoneID),
            recordType: catalog.recordType(registeredAs: StoredText.decoded(recordType)), sequenceNumber: number,
            date: Date(timeIntervalSinceReferenceDate: date))
    }
}
