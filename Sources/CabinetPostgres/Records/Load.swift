import Cabinet

/// The statements that load what a request names, all sent together.
///
/// They depend only on the number of a database and on a schema. So they can be sent with the statements that begin a
/// transaction, and are valid if the database turns out to have that schema.
final class Load {
    private let keys: StorageKeys
    private let context: TransactionContext
    /// The number of the database.
    private let databaseID: Int64
    /// The tables to search, and the fields that their rows are read as.
    private let catalog: Catalog

    private var records: [StoredRecord?]
    private var existing: [Bool]
    private var entries: [String?]
    private var entryRanges: [[StorageEntry]]
    /// The records to get from the tables that contain them.
    private var located: [(positions: [Int], query: LookupQuery, tables: [Table])] = []

    /// The limit of tables in one search; with more tables, the ones that contain the records are found first.
    private static let mostTablesSearchedAtOnce = 16

    /// Enqueues the statements.
    ///
    /// - Parameters:
    ///   - keys: The keys to load.
    ///   - catalog: The schema that the database has, or probably has.
    ///   - context: The context of a transaction that has begun.
    init(_ keys: StorageKeys, from catalog: Catalog, of context: TransactionContext) throws {
        self.keys = keys
        self.catalog = catalog
        self.context = context
        databaseID = context.number?.id ?? 0
        records = Array(repeating: nil, count: keys.records.count)
        existing = Array(repeating: false, count: keys.existing.count)
        entries = Array(repeating: nil, count: keys.entries.count)
        entryRanges = Array(repeating: [], count: keys.entryRanges.count)
        // A database that was never written is empty, and its tables may not exist.
        if context.hasSnapshot, context.row == nil { return }
        try enqueueRecords()
        try enqueueExisting()
        try enqueueEntries()
    }

    /// Returns the values, once the answers to the statements of the initializer have arrived.
    func values() async throws -> StorageValues {
        if try enqueueLocated() { try await context.connection.answers() }
        return values
    }

    /// Enqueues the statements that get records from the tables that contain them, if these had to be found first.
    ///
    /// - Returns: Whether there are such statements.
    func enqueueLocated() throws -> Bool {
        if !located.isEmpty { try context.begin() }
        for (positions, query, tables) in located {
            for group in LookupTables.groups(of: tables, keys: keys.fields) {
                try enqueue(query, positions, from: group)
            }
        }
        defer { located = [] }
        return !located.isEmpty
    }

    /// The values, once the answers to all statements have arrived.
    var values: StorageValues {
        StorageValues(
            records: records, existing: existing, entries: entries, entryRanges: entryRanges,
            schema: context.catalog.schema, origin: context.row?.origin)
    }
}

// MARK: - Records

extension Load {
    private func enqueueRecords() throws {
        if catalog.tables.isEmpty { return }
        for (zoneID, positions) in Self.positionsByZone(of: keys.records) {
            let query = query(positions.map { keys.records[$0] }, in: zoneID)
            if catalog.tables.count > Self.mostTablesSearchedAtOnce {
                try enqueueLocation(of: query, positions)
            } else {
                let groups = keys.fields.map { LookupTables.groups(of: catalog.tables, keys: $0) } ?? catalog.lookups
                for group in groups { try enqueue(query, positions, from: group) }
            }
        }
    }

    /// Enqueues the statement that gets records from some tables.
    private func enqueue(_ query: LookupQuery, _ positions: [Int], from tables: LookupTables) throws {
        let statement = query.statement(for: tables)
        // Statements that name fields differ between requests, so they are not worth preparing.
        try context.connection.enqueue(statement, query.values, isPrepared: keys.fields?.isEmpty ?? true) {
            [self] result in
            if result.count == 0 { return }
            let numberColumn = tables.columnCount
            var decoders = tables.parts.map { part in
                RowDecoder(table: part.table, keys: keys.fields, known: .all, skippedCount: part.skippedCount)
            }
            for row in result.rows {
                let position = positions[try Self.position(in: row, numberColumn, of: positions.count)]
                guard let table = row.integer(numberColumn + 1), decoders.indices.contains(Int(clamping: table)) else {
                    throw Self.damaged
                }
                // The lookup compares the bytes of names, so the record has exactly the requested name.
                records[position] = try decoders[Int(table)].decode(row, as: keys.records[position])
            }
        }
    }

    /// Enqueues the statement that finds the tables of records, if there are many tables.
    private func enqueueLocation(of query: LookupQuery, _ positions: [Int]) throws {
        try context.connection.enqueue(query.location(in: catalog.tables), query.values) { [self] result in
            let tables = try result.rows.map { row in
                guard let table = row.integer(1), catalog.tables.indices.contains(Int(clamping: table)) else {
                    throw Self.damaged
                }
                return Int(table)
            }
            if !tables.isEmpty { located.append((positions, query, Set(tables).sorted().map { catalog.tables[$0] })) }
        }
    }

    private func enqueueExisting() throws {
        if catalog.tables.isEmpty { return }
        for (zoneID, positions) in Self.positionsByZone(of: keys.existing) {
            let query = query(positions.map { keys.existing[$0] }, in: zoneID)
            try context.connection.enqueue(query.location(in: catalog.tables), query.values) { [self] result in
                for row in result.rows {
                    existing[positions[try Self.position(in: row, 0, of: positions.count)]] = true
                }
            }
        }
    }

    private func query(_ ids: [RecordID], in zoneID: RecordZone.ID) -> LookupQuery {
        LookupQuery(
            ids.map { StoredText.encoded($0.recordName) }, in: zoneID, of: databaseID,
            zones: context.name("cabinet_zone"),
            mayBeNew: context.write != nil)
    }

    /// Groups the positions of IDs by zone.
    private static func positionsByZone(of ids: [RecordID]) -> [RecordZone.ID: [Int]] {
        // Nearly always there is only one zone.
        guard let first = ids.first else { return [:] }
        if ids.allSatisfy({ $0.zoneID == first.zoneID }) { return [first.zoneID: Array(ids.indices)] }
        return Dictionary(grouping: ids.indices) { ids[$0].zoneID }
    }

    /// Returns the position that a row contains, which counts from one.
    private static func position(in row: QueryRow, _ column: Int, of count: Int) throws -> Int {
        guard let number = row.integer(column), number > 0, number <= count else { throw damaged }
        return Int(number) - 1
    }

    private static var damaged: CabinetError {
        PostgresFailure.damaged("a lookup by ID has returned an unexpected record")
    }
}

// MARK: - Entries

extension Load {
    /// The largest number of keys and ranges that each have a part of the statement.
    private static let mostEntryParts = 8

    /// Enqueues the statement that gets the entries under keys and in ranges.
    private func enqueueEntries() throws {
        let count = keys.entries.count + keys.entryRanges.count
        if count == 0 { return }
        let parts = count <= Self.mostEntryParts ? singleEntryParts : arrayEntryParts
        let order = keys.entryRanges.isEmpty ? "" : " ORDER BY 2"
        let statement = parts.sql.joined(separator: " UNION ALL ") + order
        try context.connection.enqueue(statement, [.integer(databaseID)] + parts.values) { [self] result in
            for row in result.rows { try take(row) }
        }
    }

    /// The parts of the statement for a few keys and ranges.
    ///
    /// PostgreSQL soon keeps one plan for all their values. It would plan the statement with arrays again for each execution, until
    /// it has statistics of the table.
    private var singleEntryParts: (sql: [String], values: [SQLValue]) {
        let table = context.name("cabinet_entry")
        var parts: [String] = []
        var values: [SQLValue] = []
        for (index, key) in keys.entries.enumerated() {
            values.append(.text(key.text))
            parts.append(
                """
                SELECT \(index + 1)::bigint, NULL::text COLLATE "C", value FROM \(table) \
                WHERE database = $1 AND key = $\(values.count + 1)
                """)
        }
        for (index, range) in keys.entryRanges.enumerated() {
            values += [.text(range.lowerBound.text), .text(range.upperBound.text)]
            // Ranges are numbered with negative numbers.
            parts.append(
                """
                SELECT \(-index - 1)::bigint, key, value FROM \(table) \
                WHERE database = $1 AND key >= $\(values.count) AND key < $\(values.count + 1)
                """)
        }
        return (parts, values)
    }

    /// The parts of the statement for any number of keys and ranges.
    private var arrayEntryParts: (sql: [String], values: [SQLValue]) {
        let table = context.name("cabinet_entry")
        var parts: [String] = []
        var values: [SQLValue] = []
        if !keys.entries.isEmpty {
            values.append(.texts(keys.entries.map(\.text)))
            parts.append(
                """
                SELECT w.number, NULL::text COLLATE "C", e.value \
                FROM unnest($2::text[]) WITH ORDINALITY AS w(key, number) CROSS JOIN LATERAL (\
                SELECT value FROM \(table) \
                WHERE database = $1 AND key = w.key COLLATE "C" OFFSET 0) AS e
                """)
        }
        if !keys.entryRanges.isEmpty {
            values.append(.texts(keys.entryRanges.map(\.lowerBound.text)))
            values.append(.texts(keys.entryRanges.map(\.upperBound.text)))
            parts.append(
                """
                SELECT -w.number, e.key, e.value \
                FROM unnest($\(values.count)::text[], $\(values.count + 1)::text[]) \
                WITH ORDINALITY AS w(first, last, number) CROSS JOIN LATERAL (\
                SELECT key, value FROM \(table) WHERE database = $1 \
                AND key >= w.first COLLATE "C" AND key < w.last COLLATE "C" OFFSET 0) AS e
                """)
        }
        return (parts, values)
    }

    /// Stores an entry from a row, under its key or in its range.
    private func take(_ row: QueryRow) throws {
        if let number = row.integer(0), number < 0, -number <= entryRanges.count {
            entryRanges[Int(-number) - 1].append(try TransactionContext.entry(row, from: 1))
        } else {
            let position = try Self.position(in: row, 0, of: entries.count)
            entries[position] = try TransactionContext.entryText(row.text(2))
        }
    }
}
