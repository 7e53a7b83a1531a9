import Cabinet
import SQLSupport

/// The tables of record types in the schema, with all their columns, for all databases.
///
/// Tables and columns are only ever added, so cached ones stay valid.
struct PhysicalTables: Sendable {
    struct Column: Sendable, Hashable {
        let field: Record.FieldKey
        let type: FieldType
        let name: String
        /// The number of older columns of the table.
        let position: Int64
    }

    struct Table: Sendable {
        let id: Int64
        let recordType: Record.RecordType
        let name: String
        var columns: [Column] = []

        /// Returns the column for a field of a type.
        func column(of field: Record.FieldKey, type: FieldType) -> Column? {
            columns.first { $0.type == type && $0.field == field }
        }
    }

    var tables: [Record.RecordType: Table] = [:]
    /// The names of the indexes that were created because a schema requests them.
    var indexes: Set<String> = []

    /// Returns the catalog of a schema.
    ///
    /// - Returns: `nil` if one of its tables or columns does not exist.
    func catalog(id: Int64, of content: DatabaseSchema, in schemaName: String) -> Catalog? {
        var found: [CabinetPostgres.Table] = []
        for (recordType, fields) in content.schema.recordTypes {
            guard let table = tables[content.registeredName(of: recordType)] else { return nil }
            let registered = content.registeredFields(of: recordType)
            var columns: [CabinetPostgres.Table.Column] = []
            for column in table.columns {
                guard let field = registered[StoredField(name: column.field, type: column.type)] else { continue }
                columns.append(.init(field: field, type: column.type, name: column.name))
            }
            guard columns.count == fields.count else { return nil }
            found.append(
                CabinetPostgres.Table(
                    TableDefinition(
                        id: table.id, recordType: recordType, name: table.name, columns: columns,
                        indexes: content.schema.indexes[recordType] ?? []), schema: schemaName))
        }
        return Catalog(id: id, content: content, tables: found)
    }
}

extension PhysicalTables {
    /// Loads the tables of a schema.
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
            SELECT "recordType", field, type, "columnName", position FROM \(schema.quoted).cabinet_column \
            ORDER BY "recordType", position
            """
        ) { result in
            for row in result.rows {
                guard let id = row.integer(0), let field = row.text(1), let type = row.text(2).flatMap(FieldType.init),
                    let name = row.text(3), let position = row.integer(4)
                else {
                    failure = PostgresFailure.damaged(
                        "cabinet_column has a row without a name or with an unknown type")
                    return
                }
                tables[id]?.columns.append(
                    Column(field: StoredText.decoded(field), type: type, name: name, position: position))
            }
        }
        // The catalog has an index of the tables' numbers, and none of the schemas.
        try connection.enqueue(
            """
            SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
            WHERE i.indisvalid AND i.indrelid = ANY (ARRAY(\
            SELECT to_regclass(quote_ident($1) || '.' || quote_ident("tableName"))::oid \
            FROM \(schema.quoted).cabinet_record_type))
            """, [.text(schema.name)]
        ) { result in
            let found = result.rows.compactMap { $0.text(0) }
            names.formUnion(found.filter { $0.hasPrefix("cabinet_index_") || $0.hasPrefix("cabinet_words_") })
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
    /// The quoted name.
    let quoted: String

    /// Creates a name.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if it is not a valid schema name.
    init(_ name: String) throws {
        guard !name.isEmpty, name.utf8.count <= SQLName.maximumLength, !name.utf8.contains(0),
            !name.lowercased().hasPrefix("pg_")
        else {
            throw CabinetError(
                .badContainer,
                "\(name.debugDescription) is not a valid name for a PostgreSQL schema: expected 1 to "
                    + "\(SQLName.maximumLength) bytes that do not begin with 'pg_'. Choose another "
                    + "'PostgresConfiguration.schema'.")
        }
        self.name = name
        quoted = SQLName.quoted(name)
    }

    /// The number of the advisory lock that serializes changes of the schema.
    var lockNumber: Int64 { Int64(bitPattern: SQLName.hash("cabinet schema " + name)) }

    /// The channel that changes are announced on.
    var channel: String { "cabinet_" + SQLName.digest(name) }
}
