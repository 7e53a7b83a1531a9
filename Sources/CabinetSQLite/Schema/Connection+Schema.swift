import Cabinet

/// Changes of the tables, in a transaction under way.
extension Connection {
    /// Makes the file a store, if it is empty.
    func createLayout() throws {
        guard catalog.isEmptyFile else { return }
        try handle.execute(Layout.creation)
        catalog = Catalog(version: -1, isEmptyFile: false)
    }

    /// Adds fields to a record type, and the type itself if there is none of the name.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        let old = catalog.tablesByType[recordType]
        let table = try old ?? createTable(for: recordType)
        var taken = Set(table.columns.map { $0.name.lowercased() })
        var columns = table.columns
        for field in fields where table.fieldTypes[field.name] == nil {
            try Self.checkName(field.name)
            let name = SQLName.unique(field.name) { taken.contains($0) }
            taken.insert(name.lowercased())
            columns.append(Table.Column(field: field.name, type: field.type, name: name))
        }
        let extended = Table(id: table.id, recordType: recordType, name: table.name, columns: columns)
        guard extended.columnCount <= Layout.maximumColumns else {
            throw CabinetError(
                .limitExceeded,
                "The record type '\(recordType)' has too many fields: a table of SQLite holds \(Layout.maximumColumns) columns, "
                    + "of which Cabinet needs \(Layout.systemColumnCount), and a reference takes two. "
                    + "Move some fields to a record type of their own.")
        }
        for column in columns.dropFirst(table.columns.count) {
            try addColumn(column, to: table)
        }
        catalog.insert(extended)
        // The version is read anew before the commit: other processes then know that the tables have changed.
        catalog.version = -1
        tableStatements[table.id] = nil
    }

    private func createTable(for recordType: Record.RecordType) throws -> Table {
        try Self.checkName(recordType)
        let taken = Set(catalog.tablesByType.values.map { $0.name.lowercased() })
        let name = SQLName.unique(recordType) { taken.contains($0) }
        let insertion = try statements.statement("INSERT INTO cabinet_record_type (name, tableName) VALUES (?, ?) RETURNING id")
        try insertion.bind(recordType, at: 1)
        try insertion.bind(name, at: 2)
        guard try insertion.step() else {
            throw SQLiteFailure.damaged(path: path, "cabinet_record_type does not take rows")
        }
        let id = insertion.int64(0)
        insertion.reset()
        let table = Table(id: id, recordType: recordType, name: name, columns: [])
        try handle.execute(
            """
            CREATE TABLE \(table.quoted) (\(Layout.systemColumns));
            CREATE INDEX \(index("id", of: table)) ON \(table.quoted)("___recordID", "___zone");
            CREATE INDEX \(index("parent", of: table)) ON \(table.quoted)("___parent") WHERE "___parent" IS NOT NULL;
            """)
        return table
    }

    private func addColumn(_ column: Table.Column, to table: Table) throws {
        let insertion = try statements.statement(
            "INSERT INTO cabinet_field (recordType, name, type, columnName) VALUES (?, ?, ?, ?)")
        try insertion.bind(table.id, at: 1)
        try insertion.bind(column.field, at: 2)
        try insertion.bind(column.type.description, at: 3)
        try insertion.bind(column.name, at: 4)
        try insertion.run()
        try handle.execute("ALTER TABLE \(table.quoted) ADD COLUMN \(column.quoted) \(Self.sqlType(of: column.type))")
        if let action = column.quotedAction {
            let name = index("reference", of: table, column: column.name)
            try handle.execute(
                """
                ALTER TABLE \(table.quoted) ADD COLUMN \(action) INTEGER;
                CREATE INDEX \(name) ON \(table.quoted)(\(column.quoted)) WHERE \(column.quoted) IS NOT NULL;
                """)
        }
    }

    /// The name of an index. Its prefix is reserved, so that it is like no table's name.
    private func index(_ purpose: String, of table: Table, column: String? = nil) -> String {
        SQLName.quoted("cabinet_\(purpose)_\(table.name)" + (column.map { ".\($0)" } ?? ""))
    }

    private static func checkName(_ name: String) throws {
        if name.utf8.contains(0) {
            throw CabinetError(.invalidArguments, "The name \(name.debugDescription) contains a NUL character. Remove it.")
        }
    }

    private static func sqlType(of type: FieldType) -> String {
        if type.isList { return "TEXT" }
        return switch type.scalar {
        case .string, .reference, .location, .asset: "TEXT"
        case .int64: "INTEGER"
        case .double, .timestamp: "REAL"
        case .bytes: "BLOB"
        }
    }
}
