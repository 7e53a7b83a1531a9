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
            try SQLName.check(field.name)
            let name = SQLName.unique(SQLName.unreserved(field.name)) { taken.contains($0) }
            taken.insert(name.lowercased())
            let position = Int64(table.columns.count)
            let added = PhysicalTables.Column(field: field.name, type: field.type, name: name, position: position)
            table.columns.append(added)
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
            if let index = table.referenceIndex(of: added) { try run(index.creation(in: schema.quoted)) }
        }
        physical.tables[recordType] = table
    }

    /// Creates the missing indexes of a small table.
    ///
    /// - Parameter content: The schema of the record type.
    /// - Returns: The missing indexes of a large table, which the caller builds concurrently.
    func makeIndexes(of content: DatabaseSchema) throws -> [IndexBuild] {
        guard let table = physical.catalog(id: 0, of: content, in: schema.quoted)?.tables.first else { return [] }
        let missing = table.built.definitions(of: table.definition).filter { !physical.indexes.contains($0.name) }
        if missing.isEmpty { return [] }
        if try connection.isLarge(table.quoted, isDistributed: isDistributed, configuration) { return missing }
        for index in missing {
            // An interrupted build leaves an invalid index.
            try run("DROP INDEX IF EXISTS \(schema.quoted).\(SQLName.quoted(index.name))")
            try run(index.creation(in: schema.quoted))
        }
        return []
    }

    private func createdTable(for recordType: Record.RecordType) throws -> PhysicalTables.Table {
        try SQLName.check(recordType)
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
        let (name, quoted) = (table.name, self.quoted(table))
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
        for index in table.generalIndexes { try run(index.creation(in: schema.quoted)) }
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
}
