import Cabinet

extension DatabaseView {
    /// The most tables that are asked for their rows at once, not knowing which of them has some.
    private static let mostTablesAskedBlindly = 16

    /// Gets records by ID: from each table those that it has, in one round trip.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to get, or `nil` for all.
    /// - Returns: An element for each ID, `nil` where there is no such record.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        guard let databaseID, !catalog.tables.isEmpty, !ids.isEmpty else {
            return Array(repeating: nil, count: ids.count)
        }
        var names: [String?] = []
        var zones: [Int64?] = []
        for id in Set(ids) {
            guard let zone = try number(of: id.zoneID) else { continue }
            zones.append(zone)
            names.append(StoredText.encoded(id.recordName))
        }
        guard !names.isEmpty else { return Array(repeating: nil, count: ids.count) }
        let wanted: [SQLValue] = [.integer(databaseID), .integers(zones), .texts(names)]
        var found: [RecordID: StoredRecord] = [:]
        var tables: [RecordID: Int64] = [:]
        for table in try self.tables(with: wanted) {
            var decoder = RowDecoder(table: table, keys: keys)
            try connection.enqueue(
                "SELECT \(decoder.selection(from: "t")) \(Self.source(table))", wanted,
                isPrepared: keys == nil
            ) { [self] result in
                for row in result.rows {
                    let record = try decoder.decode(row, in: self)
                    found[record.recordID] = record
                    tables[record.recordID] = table.id
                }
            }
        }
        try connection.flush()
        if write != nil { for (id, table) in tables { write?.tables[id] = table } }
        return ids.map { found[$0] }
    }

    /// The tables that may have some of the records.
    private func tables(with wanted: [SQLValue]) throws -> [Table] {
        guard catalog.tables.count > Self.mostTablesAskedBlindly else { return catalog.tables }
        let parts = catalog.tables.indices.map { index in
            """
            SELECT \(index)::bigint WHERE EXISTS (SELECT 1 \(Self.source(catalog.tables[index])))
            """
        }
        let found = try query(parts.joined(separator: " UNION ALL "), wanted)
        return found.rows.compactMap { row in
            row.integer(0).flatMap { catalog.tables.indices.contains(Int($0)) ? catalog.tables[Int($0)] : nil }
        }
    }

    /// The rows that are wanted of a table, each looked up by its key.
    ///
    /// `OFFSET 0` keeps PostgreSQL from making a join of it. It plans a prepared statement for a database of average size, and would
    /// rather go through a whole database, of which one may be a thousand times larger than most.
    private static func source(_ table: Table) -> String {
        """
        FROM unnest($2::bigint[], $3::text[]) AS w(zone, name) CROSS JOIN LATERAL (SELECT * FROM \(table.quoted) AS r \
        WHERE r."___database" = $1 AND r."___zone" = w.zone AND r."___recordID" = w.name COLLATE "C" OFFSET 0) AS t
        """
    }
}
