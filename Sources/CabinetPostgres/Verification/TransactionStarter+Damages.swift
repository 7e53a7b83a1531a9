import Cabinet
import SQLSupport

extension TransactionStarter {
    /// Compares the tables of records, and their columns, with the registered ones, in one snapshot.
    ///
    /// - Parameter limit: The largest number of issues of each kind.
    func damages(on connection: Connection, limit: Int) throws -> [IntegrityIssue] {
        guard try hasLayout(on: connection) else { return [] }
        let schema = catalogs.schema
        // The server's catalog is read in the same snapshot as the registered names. A process may be adding some.
        try connection.begin("REPEATABLE READ READ ONLY")
        defer { try? connection.rollback() }
        let tables = try PhysicalTables(loadingFrom: connection, schema: schema).tables.values
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
        var existing: [String: Set<String>] = [:]
        for row in found.rows {
            if let table = row.text(0), let column = row.text(1) { existing[table, default: []].insert(column) }
        }
        let needed = tables.map { table in
            (table.name, Layout.systemColumnNames + table.columns.flatMap { SQLColumn($0).allNames })
        }
        var damages = DamageList(limit: limit, store: "PostgreSQL schema \(schema.name)")
        damages.compare(existing, with: Dictionary(needed, uniquingKeysWith: { first, _ in first }))
        return damages.found
    }
}

extension SQLColumn {
    init(_ column: PhysicalTables.Column) {
        self.init(field: column.field, type: column.type, name: column.name)
    }
}
