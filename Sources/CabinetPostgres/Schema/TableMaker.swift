import Cabinet
import SQLSupport

/// Creates missing tables, columns and indexes, in the current transaction.
struct TableMaker {
    private let connection: Connection
    private let schema: SchemaName
    private var physical: PhysicalTables
    private let configuration: PostgresConfiguration
    /// Whether Citus distributes the tables.
    private let isDistributed: Bool

    init(
        _ connection: Connection, _ schema: SchemaName, _ physical: PhysicalTables,
        _ configuration: PostgresConfiguration, isDistributed: Bool
    ) {
        self.isDistributed = isDistributed
        self.connection = connection
        self.schema = schema
        self.physical = physical
        self.configuration = configuration
    }

    /// Adds the missing columns for fields, and creates the table if it is missing.
    mutating func make(_ fields: [StoredField], of recordType: Record.RecordType) throws {
        var table = try physical.tables[recordType] ?? createdTable(for: recordType)
        var taken = Set(table.columns.map { $0.name.lowercased() })
        let quoted = self.quoted(table)
        for field in fields where table.column(of: field.name, type: field.type) == nil {
            try Self.checkName(field.name)
            let name = SQLName.unique(SQLName.unreserved(field.name)) { taken.contains($0) }
            taken.insert(name.lowercased())
            let position = Int64(table.columns.count)
            table.columns.append(.init(field: field.name, type: field.type, name: name))
            try checkWidth(of: table)
            try connection.enqueue(
                "INSERT INTO \(schema.quoted).cabinet_column VALUES ($1, $2::bigint, $3, $4, $5)",
                [
                    .integer(table.id), .integer(position), .text(StoredText.encoded(field.name)),
                    .text(field.type.description), .text(name),
                ])
            let column = Table.Column(field: field.name, type: field.type, name: name)
            var definitions = ["ADD COLUMN \(column.quoted) \(Layout.sqlType(of: field.type))"]
            if let action = column.quotedAction {
                definitions.append("ADD COLUMN \(action) \(Layout.actionType(of: field.type))")
            }
            try run("ALTER TABLE \(quoted) \(definitions.joined(separator: ", "))")
            if field.type == .reference {
                try run(
                    """
                    CREATE INDEX "cabinet_reference_\(table.id)_\(position)" ON \(quoted) \
                    ("___database", "___zone", \(column.quoted)) WHERE \(column.quoted) IS NOT NULL
                    """)
            }
        }
        physical.tables[recordType] = table
    }

    /// Creates the missing indexes of a small table.
    ///
    /// - Parameter content: The schema of the record type.
    /// - Returns: The missing indexes of a large table, which the caller builds concurrently.
    func makeIndexes(of content: DatabaseSchema) throws -> [IndexBuild] {
        guard let table = physical.catalog(id: 0, of: content, in: schema.quoted)?.tables.first else { return [] }
        let missing = table.built.definitions(of: table).filter { !physical.indexes.contains($0.name) }
        if missing.isEmpty { return [] }
        // The table of the coordinator is empty if it is distributed.
        let function = isDistributed ? "citus_relation_size" : "pg_relation_size"
        let size = try connection.query("SELECT \(function)($1::text::regclass)", [.text(table.quoted)])
        let isLarge = size.first?.integer(0) ?? 0 > configuration.concurrentIndexSize
        // The size of a partitioned table is 0, so its indexes are never built concurrently, which PostgreSQL does not support.
        if isLarge { return missing }
        for index in missing {
            // An interrupted build leaves an invalid index.
            try run("DROP INDEX IF EXISTS \(schema.quoted).\(SQLName.quoted(index.name))")
            try run("CREATE INDEX \(index.definition)")
        }
        return []
    }

    private func createdTable(for recordType: Record.RecordType) throws -> PhysicalTables.Table {
        try Self.checkName(recordType)
        var taken = Set(physical.tables.values.map { $0.name.lowercased() })
        var name: String
        // Indexes share the names of tables: that of a table's primary key is `Items_pkey`.
        repeat {
            name = SQLName.unique(SQLName.unreserved(recordType)) { taken.contains($0) }
            taken.insert(name.lowercased())
        } while try isTaken(name)
        let row = try connection.query(
            "INSERT INTO \(schema.quoted).cabinet_record_type (name, \"tableName\") VALUES ($1, $2) RETURNING id",
            [.text(StoredText.encoded(recordType)), .text(name)])
        guard let id = row.first?.integer(0) else {
            throw PostgresFailure.damaged("cabinet_record_type does not accept rows")
        }
        let table = PhysicalTables.Table(id: id, recordType: recordType, name: name)
        try connection.asOwner(of: schema) { try create(table) }
        return table
    }

    /// Returns whether a table, an index or another relation of the schema has a name.
    private func isTaken(_ name: String) throws -> Bool {
        let found = try connection.query(
            "SELECT to_regclass($1) IS NOT NULL", [.text("\(schema.quoted).\(SQLName.quoted(name))")])
        return found.first?.boolean(0) == true
    }

    private func create(_ table: PhysicalTables.Table) throws {
        let (id, name, quoted) = (table.id, table.name, self.quoted(table))
        // The shards of Citus serve as partitions.
        let partitions = isDistributed ? 0 : configuration.partitions
        let partitioning = partitions > 0 ? " PARTITION BY HASH (\"___database\")" : ""
        try run("CREATE TABLE \(quoted) (\(Layout.systemColumns))\(partitioning)")
        for number in 0..<max(partitions, 0) {
            try run(
                """
                CREATE TABLE \(schema.quoted).\(SQLName.quoted("\(name)$p\(number)")) PARTITION OF \(quoted) \
                FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(number))
                """)
        }
        if isDistributed {
            try run(Layout.distribution(of: quoted, by: "___database", in: schema.quoted))
        }
        // The conditions always hold. Without them, PostgreSQL would look up IDs in these indexes as long as it has no
        // statistics of a new table. It would then scan a whole zone for each ID, because it estimates the leading columns to
        // be selective enough.
        try run(
            """
            CREATE INDEX cabinet_change_\(id) ON \(quoted) ("___database", "___zone", "___etag") \
            WHERE "___etag" IS NOT NULL
            """)
        try run(
            """
            CREATE INDEX cabinet_insertion_\(id) ON \(quoted) ("___database", "___zone", "___insertion") \
            WHERE "___insertion" IS NOT NULL
            """)
        try run(
            """
            CREATE INDEX cabinet_parent_\(id) ON \(quoted) ("___database", "___zone", "___parent") \
            WHERE "___parent" IS NOT NULL
            """)
    }

    private func run(_ sql: String) throws {
        try connection.enqueue(sql, isPrepared: false)
    }

    private func quoted(_ table: PhysicalTables.Table) -> String {
        "\(schema.quoted).\(SQLName.quoted(table.name))"
    }

    private func checkWidth(of table: PhysicalTables.Table) throws {
        let count = table.columns.reduce(Layout.systemColumnCount) { $0 + ($1.type.scalar == .reference ? 2 : 1) }
        guard count <= Layout.maximumColumns else {
            throw CabinetError(
                .limitExceeded,
                "The record type '\(table.recordType)' has too many fields. A PostgreSQL table holds "
                    + "\(Layout.maximumColumns) columns. Cabinet needs \(Layout.systemColumnCount) of them, and a "
                    + "reference takes two. Move some fields to a record type of their own.")
        }
    }

    private static func checkName(_ name: String) throws {
        if name.utf8.contains(0) {
            throw CabinetError(
                .invalidArguments, "The name \(name.debugDescription) contains a NUL character. Remove it.")
        }
    }
}

extension TableIndexes {
    /// Returns the names of all indexes.
    func names(tableID: Int64) -> Set<String> {
        Set(trees.map(\.name) + (words.isEmpty ? [] : [Self.wordsName(tableID: tableID)]))
    }

    /// Returns the definitions of all indexes.
    fileprivate func definitions(of table: Table) -> [IndexBuild] {
        var found = trees.map { tree in
            IndexBuild(
                name: tree.name,
                definition: "\(SQLName.quoted(tree.name)) ON \(table.quoted) (\(tree.keys.joined(separator: ", ")))")
        }
        if !words.isEmpty {
            let name = Self.wordsName(tableID: table.id)
            found.append(
                IndexBuild(
                    name: name,
                    // Each statement of a search reads the whole list of new rows, which has 4 MB by default.
                    definition: "\(SQLName.quoted(name)) ON \(table.quoted) USING gin (\"___words\") "
                        + "WITH (gin_pending_list_limit = 128)"))
        }
        return found
    }
}
