import Cabinet
import SQLSupport

/// The tables of record types that there are in the schema, with all their columns, whichever database has them.
///
/// Tables and columns are only ever added, so what is known of them stays true.
struct PhysicalTables: Sendable {
    struct Column: Sendable, Hashable {
        let field: Record.FieldKey
        let type: FieldType
        let name: String
    }

    struct Table: Sendable {
        let id: Int64
        let recordType: Record.RecordType
        let name: String
        var columns: [Column] = []

        /// The column for a field of a type.
        func column(of field: Record.FieldKey, type: FieldType) -> Column? {
            columns.first { $0.type == type && $0.field == field }
        }
    }

    var tables: [Record.RecordType: Table] = [:]
    /// The names of the indexes that were made because a schema asks for them.
    var indexes: Set<String> = []

    /// The tables that are needed for a schema.
    ///
    /// - Returns: `nil` if one of them, or one of their columns, is not there.
    func catalog(id: Int64, of schema: StoredSchema, in schemaName: String) -> Catalog? {
        var found: [CabinetPostgres.Table] = []
        for (recordType, fields) in schema.recordTypes {
            guard let table = tables[recordType] else { return nil }
            var columns: [CabinetPostgres.Table.Column] = []
            for column in table.columns where fields[column.field] == column.type {
                columns.append(.init(field: column.field, type: column.type, name: column.name))
            }
            guard columns.count == fields.count else { return nil }
            found.append(
                CabinetPostgres.Table(
                    TableDefinition(
                        id: table.id, recordType: recordType, name: table.name, columns: columns,
                        indexes: schema.indexes[recordType] ?? []), schema: schemaName))
        }
        return Catalog(id: id, schema: schema, tables: found)
    }
}

extension PhysicalTables {
    /// Reads which tables there are.
    ///
    /// - Parameters:
    ///   - connection: A connection, in a transaction or not.
    ///   - schema: The schema that the tables are in.
    init(loadingFrom connection: Connection, schema: SchemaName) throws {
        var tables: [Int64: Table] = [:]
        var names: Set<String> = []
        var failure: CabinetError?
        try connection.enqueue("SELECT id, name, \"tableName\" FROM \(schema.quoted).cabinet_record_type") { result in
            for row in result.rows {
                guard let id = row.integer(0), let recordType = row.text(1), let name = row.text(2) else {
                    failure = PostgresFailure.damaged("cabinet_record_type has a row without names")
                    return
                }
                tables[id] = Table(id: id, recordType: StoredText.decoded(recordType), name: name)
            }
        }
        try connection.enqueue(
            """
            SELECT "recordType", field, type, "columnName" FROM \(schema.quoted).cabinet_column \
            ORDER BY "recordType", position
            """
        ) { result in
            for row in result.rows {
                guard let id = row.integer(0), let field = row.text(1), let type = row.text(2).flatMap(FieldType.init),
                    let name = row.text(3)
                else {
                    failure = PostgresFailure.damaged(
                        "cabinet_column has a row without a name or with an unknown type")
                    return
                }
                tables[id]?.columns.append(Column(field: StoredText.decoded(field), type: type, name: name))
            }
        }
        try connection.enqueue(
            """
            SELECT c.relname::text FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid \
            JOIN pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND i.indisvalid AND c.relname ~ '^cabinet_(index|words)_'
            """, [.text(schema.name)]
        ) { result in
            for row in result.rows { row.text(0).map { _ = names.insert($0) } }
        }
        try connection.flush()
        if let failure { throw failure }
        self.tables = Dictionary(tables.values.map { ($0.recordType, $0) }, uniquingKeysWith: { first, _ in first })
        indexes = names
    }
}

/// The schema that holds a container's tables.
struct SchemaName: Sendable, Hashable {
    let name: String
    /// The name as SQL takes it.
    let quoted: String

    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if no schema can be called so.
    init(_ name: String) throws {
        guard !name.isEmpty, name.utf8.count <= SQLName.maximumLength, !name.utf8.contains(0),
            !name.lowercased().hasPrefix("pg_")
        else {
            throw CabinetError(
                .badContainer,
                "The name \(name.debugDescription) cannot be that of a PostgreSQL schema; expected 1 to "
                    + "\(SQLName.maximumLength) bytes that do not begin with 'pg_'. Choose another "
                    + "'PostgresConfiguration.schema'.")
        }
        self.name = name
        quoted = SQLName.quoted(name)
    }

    /// A number for what is done to the schema's tables by one server at a time.
    var lockNumber: Int64 { Int64(bitPattern: SQLName.hash("cabinet schema " + name)) }

    /// The channel on which changes are announced.
    var channel: String { "cabinet_" + SQLName.digest(name) }
}
