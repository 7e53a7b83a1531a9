import Cabinet
import SQLSupport

/// Renaming of tables and columns, in the current transaction.
///
/// SQLite renames a table or a column in its schema alone, without reading a row. Indexes keep their names.
extension Connection {
    /// Renames a record type, or a field of one.
    ///
    /// - Complexity: in the number of the record type's references in lists, if the field has some.
    func rename(_ part: SchemaPart, to newName: String) throws {
        guard let table = catalog.tablesByType[part.recordType] else {
            throw CabinetError.noRecordType(part.recordType)
        }
        try SQLName.check(newName)
        if let field = part.fieldKey {
            try rename(field, to: newName, of: table)
        } else {
            try rename(table, to: newName)
        }
        // The version is read again before the commit, so that other processes see the change of the tables.
        catalog.version = -1
        tableStatements[table.id] = nil
        writeState.locations = [:]
    }

    private func rename(_ table: Table, to recordType: Record.RecordType) throws {
        let taken = Set(catalog.tables.filter { $0.id != table.id }.map { $0.name.lowercased() })
        let name = SQLName.unique(SQLName.unreserved(recordType)) { taken.contains($0) }
        let renamed = Table(table.definition.with(recordType: recordType, name: name))
        try run("UPDATE cabinet_record_type SET name = ?, tableName = ? WHERE id = ?", recordType, name, table.id)
        try moveTable(table.quoted, to: renamed.quoted)
        try replace(table, by: renamed)
    }

    private func rename(_ field: Record.FieldKey, to newField: Record.FieldKey, of table: Table) throws {
        guard let position = table.fields.names.position(of: field) else {
            throw CabinetError(.invalidArguments, "The schema of '\(table.recordType)' has no field '\(field)'.")
        }
        var columns = table.columns
        let old = columns.remove(at: position)
        let taken = Set(columns.map { $0.name.lowercased() })
        let name = SQLName.unique(SQLName.unreserved(newField)) { taken.contains($0) }
        let new = Table.Column(field: newField, type: old.type, name: name)
        columns.insert(new, at: position)
        var schema = StoredSchema(indexes: [table.recordType: table.indexes])
        schema.recordTypes[table.recordType] = table.fields.types
        schema.rename(SchemaPart(table.recordType, field), to: newField)
        let indexes = schema.indexes[table.recordType] ?? []
        try run(
            "UPDATE cabinet_field SET name = ?, columnName = ? WHERE recordType = ? AND name = ?",
            newField, name, table.id, field)
        for (column, newColumn) in zip(old.allQuoted, new.allQuoted) where column != newColumn {
            try handle.execute("ALTER TABLE \(table.quoted) RENAME COLUMN \(column) TO \(newColumn)")
        }
        if old.type == .list(of: .reference) {
            try run(
                "UPDATE cabinet_list_reference SET field = ? WHERE type = ? AND field = ?", newField, table.id, field)
        }
        if indexes != table.indexes { try register(indexes, of: table) }
        try replace(table, by: Table(table.definition.with(columns: columns, indexes: indexes)))
    }

    /// Renames the virtual tables of a table, and replaces the table in the catalog.
    private func replace(_ old: Table, by new: Table) throws {
        let wanted = new.indexes(for: new.indexes)
        var names: Set<String> = []
        for places in old.places {
            guard let new = wanted.places.first(where: { $0.position == places.position }) else { continue }
            try moveTable(places.quoted, to: new.quoted)
            names.insert(new.name)
        }
        if let words = old.words, let new = wanted.words {
            try moveTable(words.quoted, to: new.quoted)
            names.insert(new.name)
        }
        catalog.insert(Table(new.definition, virtualTables: names, hasZoneIndex: old.hasZoneIndex))
    }

    private func moveTable(_ old: String, to new: String) throws {
        if old == new { return }
        var old = old
        if old.lowercased() == new.lowercased() {
            // SQLite finds the table itself under the new name.
            try handle.execute("ALTER TABLE \(old) RENAME TO cabinet_renamed")
            old = "cabinet_renamed"
        }
        try handle.execute("ALTER TABLE \(old) RENAME TO \(new)")
    }

    /// Runs a statement with texts and numbers.
    private func run(_ sql: String, _ values: any Sendable...) throws {
        let statement = try statements.statement(sql)
        for (position, value) in zip(Int32(1)..., values) {
            if let text = value as? String { try statement.bind(text, at: position) }
            if let number = value as? Int64 { try statement.bind(number, at: position) }
        }
        try statement.run()
    }
}
