import Cabinet
import Foundation
import SQLSupport

/// Changes of indexes, in the current transaction.
extension Connection {
    /// Creates and drops indexes, so that a record type has the given ones.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        guard let table = catalog.tablesByType[recordType] else {
            throw CabinetError.noRecordType(recordType)
        }
        guard table.indexes != indexes else { return }
        try register(indexes, of: table)
        let wanted = table.indexes(for: indexes)
        try replaceTrees(table.indexes(for: table.indexes).trees, by: wanted.trees, in: table)
        var virtualTables = try replacePlaces(by: wanted.places, in: table)
        virtualTables.formUnion(try replaceWords(by: wanted.words, in: table))
        catalog.insert(table.with(indexes, virtualTables: virtualTables))
        // The version is read again before the commit, so that other processes see the change of the indexes.
        catalog.version = -1
        tableStatements[table.id] = nil
    }

    /// Creates the index by zone of a table.
    ///
    /// - Complexity: in the number of the table's records, once.
    func createZoneIndex(of table: Table) throws {
        try create(table.zoneIndex)
        catalog.insert(table.withZoneIndex)
        catalog.version = -1
        tableStatements[table.id] = nil
    }

    /// Creates an index, under the first name that no other index has.
    func create(_ index: Table.Index) throws {
        let search = try statements.statement("SELECT EXISTS (SELECT 1 FROM pragma_index_xinfo(?))")
        let name = try SQLName.unique(index.name) { name in
            defer { search.reset() }
            try search.bind(name, at: 1)
            return try search.step() && search.int64(0) != 0
        }
        try handle.execute("CREATE INDEX \(SQLName.quoted(name)) ON \(index.target)")
    }

    /// Returns the names of a table's indexes by their targets.
    func indexNames(of table: Table) throws -> [String: String] {
        let search = try Statement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", on: handle)
        try search.bind(table.name, at: 1)
        var names: [String: String] = [:]
        while try search.step() {
            guard let name = search.string(0), let sql = search.string(1),
                let start = sql.range(of: "\(SQLName.quoted(name)) ON ")
            else { continue }
            names[String(sql[start.upperBound...])] = name
        }
        // The index by the last change of layout 7 has all rows, and so those of its successor.
        if catalog.layout < Layout.version, let name = names[#"\#(table.quoted)("___zone", "___etag")"#] {
            names[table.changeIndex.target] = name
        }
        return names
    }

    /// Stores the indexes of the schema.
    func register(_ indexes: Set<StoredIndex>, of table: Table) throws {
        // Two indexes may share one B-tree, so that only this table changes. Creating a view increases the version of
        // the schema for other processes.
        try handle.execute("CREATE VIEW cabinet_change AS SELECT 1; DROP VIEW cabinet_change")
        let deletion = try statements.statement("DELETE FROM cabinet_index WHERE recordType = ?")
        try deletion.bind(table.id, at: 1)
        try deletion.run()
        let insertion = try statements.statement(
            "INSERT INTO cabinet_index (recordType, kind, fields) VALUES (?, ?, ?)")
        for index in indexes {
            try insertion.bind(table.id, at: 1)
            try insertion.bind(index.kind, at: 2)
            try insertion.bind(String(decoding: JSONEncoder().encode(index.fields), as: UTF8.self), at: 3)
            try insertion.run()
        }
    }

    private func replaceTrees(_ old: [String: [String]], by new: [String: [String]], in table: Table) throws {
        let unused = old.filter { new[$0.key] == nil }.map { table.index($0, on: $1) }
        let names = unused.isEmpty ? [:] : try indexNames(of: table)
        for name in unused.compactMap({ names[$0.target] }).sorted() {
            try handle.execute("DROP INDEX \(SQLName.quoted(name))")
        }
        for (name, columns) in new.sorted(by: { $0.key < $1.key }) where old[name] == nil {
            try create(table.index(name, on: columns))
        }
    }

    /// Drops the location indexes that are not needed, and creates missing ones.
    ///
    /// - Returns: The names of the location indexes that exist afterwards.
    func replacePlaces(
        by new: [TableIndexes.Places], in table: Table, skippingDamage skipsDamage: Bool = false
    ) throws -> Set<String> {
        var existing = Set(table.places.map(\.name))
        for places in table.places where !new.contains(where: { $0.name == places.name }) {
            try handle.execute("DROP TABLE \(places.quoted)")
            existing.remove(places.name)
        }
        let missing = new.filter { !existing.contains($0.name) }
        guard try !missing.isEmpty && hasModule("rtree") else { return existing }
        for places in missing {
            try handle.execute("CREATE VIRTUAL TABLE \(places.quoted) USING rtree(id, south, north, west, east)")
            try forEachRow(of: [places.position], in: table, skippingDamage: skipsDamage) { row, record in
                if case .location(let place)? = record.fields.values[0] { try insert(place, row: row, into: places) }
            }
            existing.insert(places.name)
        }
        return existing
    }

    /// Creates, replaces or drops the full-text index.
    ///
    /// - Returns: The name of the full-text index that exists afterwards, if any.
    func replaceWords(
        by new: TableIndexes.Words?, in table: Table, skippingDamage skipsDamage: Bool = false
    ) throws -> Set<String> {
        if let old = table.words {
            if let new, old.fields == new.fields { return [new.name] }
            try handle.execute("DROP TABLE \(old.quoted)")
        }
        guard let new, try hasModule("fts5") else { return [] }
        // The text consists of tokens and marks separated by spaces, which this tokenizer does not change. Queries need neither
        // the positions of words nor their number.
        try handle.execute(
            """
            CREATE VIRTUAL TABLE \(new.quoted) USING fts5(words, tokenize = "ascii tokenchars '^'", detail = none, \
            columnsize = 0)
            """)
        try forEachRow(of: new.positions, in: table, skippingDamage: skipsDamage) { row, record in
            try insert(record.fields.values, row: row, into: new)
        }
        return [new.name]
    }

    /// Whether SQLite was built with a kind of virtual table.
    func hasModule(_ name: String) throws -> Bool {
        let statement = try statements.statement("SELECT 1 FROM pragma_module_list WHERE name = ?")
        defer { statement.reset() }
        try statement.bind(name, at: 1)
        return try statement.step()
    }

    /// Calls a closure with every row that has a value in one of several columns, as a record with these fields.
    ///
    /// - Parameter skipsDamage: Whether unreadable rows are skipped; otherwise they throw.
    func forEachRow(
        of positions: [Int], in table: Table, skippingDamage skipsDamage: Bool = false,
        _ body: (_ row: Int64, _ record: StoredRecord) throws -> Void
    ) throws {
        if positions.isEmpty { return }
        let columns = positions.map { table.columns[$0] }
        let decoder = RowDecoder(table: table, keys: columns.map(\.field))
        let isNotNull = columns.map { "\($0.quoted) IS NOT NULL" }.joined(separator: " OR ")
        let statement = try Statement(
            "SELECT \(decoder.selection) FROM \(table.quoted) WHERE \(isNotNull)", on: handle)
        while try statement.step() {
            let record: StoredRecord
            do {
                record = try decoder.decode(statement, on: self)
            } catch  where skipsDamage {
                continue
            }
            try body(record.insertionNumber, record)
        }
    }
}
