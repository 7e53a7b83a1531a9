import Cabinet
import SQLSupport

/// Removal of empty tables and columns, in the current transaction.
extension Connection {
    /// Removes a record type without records, or a field without values.
    ///
    /// - Complexity: in the number of the record type's rows, which SQLite rewrites without the column.
    func remove(_ part: SchemaPart) throws {
        guard let table = catalog.tablesByType[part.recordType] else { return }
        if let field = part.fieldKey {
            try remove(field, from: table)
        } else {
            try remove(table)
        }
        // The version is read again before the commit, so that other processes see the change of the tables.
        catalog.version = -1
        tableStatements[table.id] = nil
        writeState.locations = [:]
    }

    private func remove(_ table: Table) throws {
        try setIndexes([], of: table.recordType)
        try handle.execute("DROP TABLE \(table.quoted)")
        for name in ["cabinet_field", "cabinet_index"] { try delete(from: name, where: "recordType", table.id) }
        try delete(from: "cabinet_record_type", where: "id", table.id)
        catalog.remove(table)
    }

    private func remove(_ field: Record.FieldKey, from table: Table) throws {
        guard let column = table.column(of: field) else { return }
        var schema = catalog.schema
        schema.remove(SchemaPart(table.recordType, field))
        try setIndexes(schema.indexes[table.recordType] ?? [], of: table.recordType)
        guard let table = catalog.tablesByType[table.recordType] else { return }
        if let index = table.index(of: column), let name = try indexNames(of: table)[index.target] {
            try handle.execute("DROP INDEX \(SQLName.quoted(name))")
        }
        for name in column.allQuoted { try handle.execute("ALTER TABLE \(table.quoted) DROP COLUMN \(name)") }
        let deletion = try statements.statement("DELETE FROM cabinet_field WHERE recordType = ? AND name = ?")
        try deletion.bind(table.id, at: 1)
        try deletion.bind(field, at: 2)
        try deletion.run()
        let columns = table.columns.filter { $0.field != field }
        catalog.insert(
            Table(
                table.definition.with(columns: columns), virtualTables: table.virtualTables,
                hasZoneIndex: table.hasZoneIndex))
    }

    private func delete(from table: String, where column: String, _ number: Int64) throws {
        let deletion = try statements.statement("DELETE FROM \(table) WHERE \(column) = ?")
        try deletion.bind(number, at: 1)
        try deletion.run()
    }
}
