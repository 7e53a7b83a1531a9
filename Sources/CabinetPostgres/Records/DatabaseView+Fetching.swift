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
        let finish = try beginFetching(ids, keys: keys)
        try connection.flush()
        return finish()
    }

    /// Whether the statements that get records by ID are sent together, whatever the answers are.
    var fetchesInOneTrip: Bool { knowsAllZones && catalog.tables.count <= Self.mostTablesAskedBlindly }

    /// The table that records are looked for in first: the one in which the last ones were found.
    ///
    /// - Returns: `nil` if all tables are looked into at once, because the records may well be in none.
    func likelyTable(of ids: [RecordID]) -> Table? {
        guard write == nil, knowsAllZones, !ids.isEmpty, catalog.tables.count > 1, let databaseID,
            let type = catalogs.lastType(in: databaseID)
        else { return nil }
        return catalog.tablesByType[type]
    }

    /// Enqueues the statements that get records by ID.
    ///
    /// - Parameter table: The only table to look into; `nil` for all.
    /// - Returns: Makes the result of what they have answered.
    func beginFetching(
        _ ids: [RecordID], keys: [Record.FieldKey]?, from table: Table? = nil
    ) throws -> () -> [StoredRecord?] {
        guard let databaseID, !catalog.tables.isEmpty, !ids.isEmpty else {
            return { Array(repeating: nil, count: ids.count) }
        }
        var found: [RecordID: StoredRecord] = [:]
        var tables: [RecordID: Int64] = [:]
        for (zone, names) in try namesByZone(of: ids) {
            let wanted = Wanted(database: databaseID, zone: zone, names: names)
            for table in try table.map({ [$0] }) ?? self.tables(with: wanted) {
                var decoder = RowDecoder(table: table, keys: keys)
                try connection.enqueue(
                    "SELECT \(decoder.selection(from: "t")) \(wanted.source(table))", wanted.values,
                    isPrepared: keys?.isEmpty ?? true
                ) { [self] result in
                    for row in result.rows {
                        let record = try decoder.decode(row, in: self)
                        found[record.recordID] = record
                        if write != nil { tables[record.recordID] = table.id }
                    }
                }
            }
        }
        return { [self] in
            for (id, table) in tables { write?.tables[id] = table }
            if write == nil, let type = found.first?.value.recordType {
                catalogs.note(lastType: type, in: databaseID)
            }
            return ids.map { found[$0] }
        }
    }

    /// The numbers of the records' zones, each with the stored names of its records; without those that nothing ever was in.
    private func namesByZone(of ids: [RecordID]) throws -> [(zone: Int64, names: [String])] {
        if ids.count == 1 {
            guard let zone = try number(of: ids[0].zoneID) else { return [] }
            return [(zone, [StoredText.encoded(ids[0].recordName)])]
        }
        var names: [Int64: Set<String>] = [:]
        for id in ids {
            guard let zone = try number(of: id.zoneID) else { continue }
            names[zone, default: []].insert(StoredText.encoded(id.recordName))
        }
        return names.map { ($0, Array($1)) }
    }

    /// The tables that may have some of the records.
    private func tables(with wanted: Wanted) throws -> [Table] {
        guard catalog.tables.count > Self.mostTablesAskedBlindly else { return catalog.tables }
        let parts = catalog.tables.indices.map { index in
            """
            SELECT \(index)::bigint WHERE EXISTS (SELECT 1 \(wanted.source(catalog.tables[index])))
            """
        }
        let found = try query(parts.joined(separator: " UNION ALL "), wanted.values)
        return found.rows.compactMap { row in
            row.integer(0).flatMap { catalog.tables.indices.contains(Int($0)) ? catalog.tables[Int($0)] : nil }
        }
    }
}

/// The records of one zone that are wanted.
private struct Wanted {
    let values: [SQLValue]
    private let isOne: Bool

    init(database: Int64, zone: Int64, names: [String]) {
        isOne = names.count == 1
        values = [.integer(database), .integer(zone), isOne ? .text(names[0]) : .texts(names)]
    }

    /// The rows that are wanted of a table, each looked up by its key.
    ///
    /// `OFFSET 0` keeps PostgreSQL from making a join of it, and equality from reading all rows of a zone and comparing them with an
    /// array. It plans a prepared statement for a database of average size, or for a table of which it knows nothing yet, and would
    /// rather go through a whole database, of which one may be a thousand times larger than most.
    func source(_ table: Table) -> String {
        let zone = #""___database" = $1 AND "___zone" = $2"#
        if isOne { return "FROM \(table.quoted) AS t WHERE \(zone) AND \"___recordID\" = $3" }
        return """
            FROM unnest($3::text[]) AS w(name) CROSS JOIN LATERAL (\
            SELECT * FROM \(table.quoted) WHERE \(zone) AND "___recordID" = w.name COLLATE "C" OFFSET 0) AS t
            """
    }
}
