import Cabinet
import SQLSupport

/// The tables of records, columns and indexes that exist, and those that must exist, in one snapshot.
struct TableInspection {
    /// The columns that exist in the tables of records, including unregistered ones, by table.
    private(set) var columns: [String: Set<String>] = [:]
    /// The columns that the registered tables need, by table.
    let neededColumns: [String: [String]]
    /// The indexes that must exist and do not.
    private(set) var missingIndexes: [IndexBuild] = []
    /// The indexes that must exist, and are not valid.
    private(set) var invalidIndexes: [(index: IndexBuild, id: Int64)] = []
    private let tables: [PhysicalTables.Table]

    /// Inspects the store in the current snapshot.
    ///
    /// - Parameters:
    ///   - schemaCache: The cached tables and schemas of the store.
    ///   - content: The schema of the database whose indexes must exist.
    init(of schemaCache: SchemaCache, for content: DatabaseSchema?, on connection: Connection) throws {
        let schema = schemaCache.schema
        let physical = try PhysicalTables(loadingFrom: connection, schema: schema)
        tables = Array(physical.tables.values)
        neededColumns = Dictionary(
            tables.map { table in
                (table.name, Layout.systemColumnNames + table.columns.flatMap { SQLColumn($0).allNames })
            }, uniquingKeysWith: { first, _ in first })
        try loadColumns(of: schema, on: connection)
        let catalog = content.flatMap { physical.catalog(id: 0, of: $0, in: schema.quoted) }
        let needed =
            Layout.indexes
            + intactTables.flatMap { [$0.key] + $0.generalIndexes + $0.columns.compactMap($0.referenceIndex) }
            + (catalog?.tables ?? []).filter { isIntact($0.definition.name) }
            .flatMap { $0.built.definitions(of: $0.definition) }
        try compare(needed, in: schema, on: connection)
    }

    /// The registered tables that have all columns.
    var intactTables: [PhysicalTables.Table] { tables.filter { isIntact($0.name) }.sorted { $0.id < $1.id } }

    private func isIntact(_ table: String) -> Bool {
        columns[table]?.isSuperset(of: neededColumns[table] ?? []) == true
    }

    private mutating func loadColumns(of schema: SchemaName, on connection: Connection) throws {
        // A table that is not registered is one of Cabinet's if it has the index that every such table has. Copies of tables,
        // partitions, and shards of Citus have indexes with other names.
        let found = try connection.query(
            """
            SELECT c.relname::text, a.attname::text FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid \
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND (c.relname::text = ANY ($2) OR EXISTS (\
            SELECT FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid \
            WHERE i.indrelid = c.oid AND x.relname ~ '^cabinet_change_[0-9]+$'))
            """, [.text(schema.name), .texts(tables.map(\.name))], isPrepared: false)
        for row in found.rows {
            if let table = row.text(0), let column = row.text(1) { columns[table, default: []].insert(column) }
        }
    }

    private mutating func compare(_ needed: [IndexBuild], in schema: SchemaName, on connection: Connection) throws {
        let found = try connection.query(
            """
            SELECT c.relname::text, x.relname::text, i.indexrelid, i.indisvalid, \
            CASE WHEN i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL THEN ARRAY(\
            SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k(number, position) \
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number ORDER BY k.position) END \
            FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid \
            LEFT JOIN pg_index AS i ON i.indrelid = c.oid LEFT JOIN pg_class AS x ON x.oid = i.indexrelid \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname::text = ANY ($2)
            """, [.text(schema.name), .texts(Array(Set(needed.map(\.table))))], isPrepared: false)
        var names: [String: [String: (id: Int64, isValid: Bool)]] = [:]
        var keys: [String: Set<String>] = [:]
        for row in found.rows {
            guard let table = row.text(0) else { continue }
            if names[table] == nil { names[table] = [:] }
            guard let name = row.text(1), let id = row.integer(2), let isValid = row.boolean(3) else { continue }
            names[table]?[name] = (id, isValid)
            if isValid, let columns = row.texts(4) {
                keys[table, default: []].insert(IndexBuild.list(columns.compactMap(\.self)))
            }
        }
        for index in needed {
            guard let known = names[index.table], keys[index.table]?.contains(index.definition) != true else {
                continue
            }
            switch known[index.name] {
            case (let id, false)?: invalidIndexes.append((index, id))
            case (_, true)? where index.key == nil: break
            default: missingIndexes.append(index)
            }
        }
    }
}

extension TableInspection {
    /// Inspects the store in a snapshot of its own.
    init(of database: DatabaseKey, in schemaCache: SchemaCache, on connection: Connection) throws {
        // On Citus, the worker of the database's row takes its snapshot after the coordinator, whose catalog may lack an index
        // that the row's schema needs. So the schema counts only if it was the same before.
        let before = schemaCache.isDistributed ? try Self.schema(of: database, in: schemaCache, on: connection) : nil
        try connection.begin("REPEATABLE READ READ ONLY")
        defer { try? connection.rollback() }
        var number = try Self.schema(of: database, in: schemaCache, on: connection)
        if schemaCache.isDistributed, number != before { number = nil }
        let content = try number.flatMap { number in
            try connection.query(
                "SELECT content FROM \(schemaCache.schema.quoted).cabinet_schema WHERE id = $1", [.integer(number)]
            ).first?.text(0)
        }
        try self.init(of: schemaCache, for: content.flatMap { DatabaseSchema(content: $0) }, on: connection)
    }

    /// Returns the number of a database's schema; `nil` for a database that was never written.
    private static func schema(
        of database: DatabaseKey, in schemaCache: SchemaCache, on connection: Connection
    ) throws -> Int64? {
        guard let id = try DatabaseDirectory(schema: schemaCache.schema).number(of: database, on: connection) else {
            return nil
        }
        return try connection.query(
            "SELECT schema FROM \(schemaCache.schema.quoted).cabinet_state WHERE database = $1 AND name = $2",
            [.integer(id), .text(database.storedName)]
        ).first?.integer(0)
    }

    /// Returns the invalid indexes that no process is building.
    ///
    /// A process that builds an index holds a lock of its table until it has updated the index's row, which it then commits. So
    /// an index is left over if its table was not locked after the index was found, and its row is not being updated after
    /// that. A standby does not know the locks, and the coordinator of Citus holds none while the workers build, so there the result
    /// is empty.
    func interruptedIndexes(in schemaCache: SchemaCache, on connection: Connection) throws -> [IndexBuild] {
        if invalidIndexes.isEmpty || schemaCache.isDistributed { return [] }
        let unlocked = try connection.query(
            """
            SELECT i.indexrelid::bigint FROM pg_index AS i WHERE i.indexrelid = ANY ($1::bigint[]::oid[]) \
            AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.relation = i.indrelid AND l.granted \
            AND l.mode = 'ShareUpdateExclusiveLock') AND NOT pg_is_in_recovery()
            """, [.integers(invalidIndexes.map(\.id))], isPrepared: false)
        let left = try connection.query(
            """
            SELECT indexrelid FROM pg_index \
            WHERE indexrelid = ANY ($1::bigint[]::oid[]) AND NOT indisvalid AND xmax = '0'
            """, [.integers(unlocked.rows.map { $0.integer(0) })], isPrepared: false)
        let ids = Set(left.rows.compactMap { $0.integer(0) })
        return invalidIndexes.filter { ids.contains($0.id) }.map(\.index)
    }
}

extension SQLColumn {
    init(_ column: PhysicalTables.Column) {
        self.init(field: column.field, type: column.type, name: column.name)
    }
}
