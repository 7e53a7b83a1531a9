import Cabinet
import SQLSupport

/// Changes of tables, in the current transaction.
extension Connection {
    /// Creates the layout in an empty file.
    func createLayout() throws {
        guard catalog.isEmptyFile else { return }
        try handle.execute(Layout.creation)
        catalog = Catalog(version: -1, isEmptyFile: false)
    }

    /// Adds fields to a record type, which is created if it does not exist.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        let old = catalog.tablesByType[recordType]
        let table = try old ?? registeredTable(for: recordType)
        var taken = Set(table.columns.map { $0.name.lowercased() })
        var columns = table.columns
        for field in fields where table.fields.types[field.name] == nil {
            try SQLName.check(field.name)
            let name = SQLName.unique(SQLName.unreserved(field.name)) { taken.contains($0) }
            taken.insert(name.lowercased())
            columns.append(Table.Column(field: field.name, type: field.type, name: name))
        }
        let extended = Table(
            table.definition.with(columns: columns), virtualTables: table.virtualTables,
            hasZoneIndex: table.hasZoneIndex)
        guard extended.columnCount <= Layout.maximumColumns else {
            throw CabinetError(
                .limitExceeded,
                "The record type '\(recordType)' has too many fields. A table of SQLite has at most "
                    + "\(Layout.maximumColumns) columns. Cabinet needs \(Layout.systemColumnCount) of them, and a "
                    + "reference takes two. Move some fields to another record type.")
        }
        let added = Array(columns.dropFirst(table.columns.count))
        for column in added { try register(column, of: table) }
        if old == nil {
            try createTable(extended)
        } else {
            for column in added { try addColumn(column, to: table) }
        }
        for index in added.compactMap(extended.index) { try create(index) }
        catalog.insert(extended)
        // The version is read again before the commit, so that other processes see the change of the tables.
        catalog.version = -1
        tableStatements[table.id] = nil
    }

    /// Registers a record type with a number and a table name.
    ///
    /// The table is created later.
    private func registeredTable(for recordType: Record.RecordType) throws -> Table {
        try SQLName.check(recordType)
        let taken = Set(catalog.tablesByType.values.map { $0.name.lowercased() })
        let name = SQLName.unique(SQLName.unreserved(recordType)) { taken.contains($0) }
        let insertion = try statements.statement(
            "INSERT INTO cabinet_record_type (name, tableName) VALUES (?, ?) RETURNING id")
        defer { insertion.reset() }
        try insertion.bind(recordType, at: 1)
        try insertion.bind(name, at: 2)
        guard try insertion.step() else {
            throw SQLiteFailure.damaged(path: path, "cabinet_record_type rejects rows")
        }
        return Table(TableDefinition(id: insertion.int64(0), recordType: recordType, name: name, columns: []))
    }

    private func register(_ column: Table.Column, of table: Table) throws {
        let insertion = try statements.statement(
            "INSERT INTO cabinet_field (recordType, name, type, columnName) VALUES (?, ?, ?, ?)")
        try insertion.bind(table.id, at: 1)
        try insertion.bind(column.field, at: 2)
        try insertion.bind(column.type.description, at: 3)
        try insertion.bind(column.name, at: 4)
        try insertion.run()
    }

    private func createTable(_ table: Table) throws {
        // SQLite reads all columns before the one that it needs. Filters without an index often scan numbers, dates and
        // references, which are small, so these come first. Columns of any length come last.
        let columns =
            table.columns.filter(\.isSmall).flatMap(Self.definitions) + [Layout.systemColumns]
            + table.columns.filter { !$0.isSmall }.flatMap(Self.definitions)
        try handle.execute("CREATE TABLE \(table.quoted) (\(columns.joined(separator: ", ")))")
        for index in table.generalIndexes { try create(index) }
    }

    private func addColumn(_ column: Table.Column, to table: Table) throws {
        for definition in Self.definitions(of: column) {
            try handle.execute("ALTER TABLE \(table.quoted) ADD COLUMN \(definition)")
        }
    }

    /// Returns the column definitions of a field.
    private static func definitions(of column: Table.Column) -> [String] {
        ["\(column.quoted) \(sqlType(of: column.type))"] + (column.quotedAction.map { ["\($0) INTEGER"] } ?? [])
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

extension Table.Column {
    /// Whether all values of the column's type are small.
    fileprivate var isSmall: Bool {
        guard !type.isList else { return false }
        return switch type.scalar {
        case .int64, .double, .timestamp, .reference: true
        case .string, .bytes, .location, .asset: false
        }
    }
}
