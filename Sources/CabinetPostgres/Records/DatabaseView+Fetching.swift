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
        if keys?.isEmpty == true, let known = write?.foreseen.records(for: ids) { return known }
        let finish = try beginFetching(ids, keys: keys)
        let foresee = try beginForeseeing()
        try connection.flush()
        foresee()
        return finish()
    }

    /// Enqueues the statements that get the records which will probably be looked for next.
    ///
    /// - Returns: Notes what they have answered.
    private func beginForeseeing() throws -> () -> Void {
        guard let expected = write?.foreseen.expected, !expected.isEmpty, fetchesInOneTrip else { return {} }
        let finish = try beginFetching(expected, keys: [])
        return { [self] in
            let found = finish()
            write?.foreseen.note(found)
        }
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
        var found: [StoredRecord?] = Array(repeating: nil, count: ids.count)
        var places: [(id: RecordID, table: Int64)] = []
        for (zone, indices) in try indicesByZone(of: ids) {
            let wanted = Wanted(
                database: databaseID, zone: zone, names: indices.map { StoredText.encoded(ids[$0].recordName) },
                mayBeNew: write != nil)
            for table in try table.map({ [$0] }) ?? self.tables(with: wanted) {
                var decoder = RowDecoder(table: table, keys: keys, known: .all)
                let numberColumn = decoder.columnCount
                try connection.enqueue(
                    wanted.statement(for: table, decoder, keys: keys), wanted.values, isPrepared: keys?.isEmpty ?? true
                ) { [self] result in
                    for row in result.rows {
                        guard let number = row.integer(numberColumn), number > 0, number <= indices.count else {
                            throw PostgresFailure.damaged("a look-up by ID has found what was not asked for")
                        }
                        // What is looked up by its bytes has the name that was asked for.
                        let index = indices[Int(number) - 1]
                        let record = try decoder.decode(row, as: ids[index])
                        found[index] = record
                        if write != nil { places.append((record.recordID, table.id)) }
                    }
                }
            }
        }
        return { [self] in
            if write != nil {
                write?.tables.note(places)
            } else if let type = found.lazy.compactMap(\.self).first?.recordType {
                catalogs.note(lastType: type, in: databaseID)
            }
            return found
        }
    }

    /// The numbers of the records' zones, each with the places of its records; without those that nothing ever was in.
    private func indicesByZone(of ids: [RecordID]) throws -> [Int64: [Int]] {
        // Nearly always there is one zone.
        if ids.allSatisfy({ $0.zoneID == ids[0].zoneID }) {
            return try number(of: ids[0].zoneID).map { [$0: Array(ids.indices)] } ?? [:]
        }
        var found: [Int64: [Int]] = [:]
        for (index, id) in ids.enumerated() {
            if let zone = try number(of: id.zoneID) { found[zone, default: []].append(index) }
        }
        return found
    }

    /// The tables that may have some of the records.
    private func tables(with wanted: Wanted) throws -> [Table] {
        guard catalog.tables.count > Self.mostTablesAskedBlindly else { return catalog.tables }
        let parts = catalog.tables.indices.map { index in
            """
            SELECT \(index)::bigint WHERE EXISTS (SELECT 1 \(Wanted.source(catalog.tables[index].quoted, wanted.kind)))
            """
        }
        let found = try query(parts.joined(separator: " UNION ALL "), wanted.values)
        return found.rows.compactMap { row in
            row.integer(0).flatMap { catalog.tables.indices.contains(Int($0)) ? catalog.tables[Int($0)] : nil }
        }
    }
}
