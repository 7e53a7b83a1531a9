import Cabinet
import SQLSupport

/// Makes anew what follows from the rows of the record types' tables, which themselves stay as they are.
extension Connection {
    /// Makes everything anew, in a transaction under way.
    func rebuildIndexes() throws {
        let tables = try intactTables()
        try rebuildTrees(of: tables)
        try rebuildLocations(of: tables)
        try rebuildListEntries(of: tables)
        for table in tables { try rebuildSearchIndexes(of: table) }
        // The version is read anew before the commit: other processes then know that indexes have changed.
        catalog.version = -1
        tableStatements = [:]
    }

    /// The b-trees that a table must have.
    func expectedIndexes(of table: Table) -> [Table.Index] {
        table.generalIndexes + table.columns.compactMap(table.index) + table.askedIndexes
    }

    private func rebuildTrees(of tables: [Table]) throws {
        for table in tables {
            for index in expectedIndexes(of: table) { try handle.execute(index.sql) }
        }
        let search = try Statement("SELECT name FROM sqlite_master WHERE type = 'index'", on: handle)
        var names: [String] = []
        while try search.step() { names.append(search.string(0) ?? "") }
        for name in names {
            do {
                try handle.execute("REINDEX \(SQLName.quoted(name))")
            } catch let error as CabinetError where error.code == .internalError && !handle.isAutocommit {
                // Rows that should be unique and are not, or pages that cannot be read: the next check tells of them.
            }
        }
    }

    private func rebuildLocations(of tables: [Table]) throws {
        try handle.execute("DELETE FROM cabinet_record WHERE type NOT IN (SELECT id FROM cabinet_record_type)")
        for table in tables {
            try handle.execute(
                "DELETE FROM cabinet_record AS r WHERE r.type = \(table.id) AND NOT EXISTS (\(Self.row(of: table)))")
        }
        for table in tables {
            try handle.execute(
                """
                INSERT OR IGNORE INTO cabinet_record (recordName, zone, type, row) \
                SELECT "___recordID", "___zone", \(table.id), "___insertion" FROM \(table.quoted)
                """)
        }
        try handle.execute(
            """
            DELETE FROM cabinet_deletion AS d WHERE EXISTS (\
            SELECT 1 FROM cabinet_record AS r WHERE r.recordName = d.recordName AND r.zone = d.zone)
            """)
    }

    /// Registers anew what stands in lists.
    private func rebuildListEntries(of tables: [Table]) throws {
        try handle.execute("DELETE FROM cabinet_list_reference; DELETE FROM cabinet_list_asset")
        for table in tables {
            try forEachRow(of: table.fields.referenceLists, in: table, skippingDamage: true) { row, record in
                guard let zone = try number(of: record.recordID.zoneID) else { return }
                try insertListReferences(of: record, zone: zone, row: row, in: table)
            }
            try forEachRow(of: table.assetLists, in: table, skippingDamage: true) { row, record in
                try insertListAssets(of: record, row: row, in: table)
            }
        }
    }

    private func rebuildSearchIndexes(of table: Table) throws {
        let wanted = table.indexes(for: table.indexes)
        _ = try replacePlaces(by: [], in: table)
        _ = try replaceWords(by: nil, in: table)
        let bare = table.with(table.indexes, virtualTables: [])
        var names = try replacePlaces(by: wanted.places, in: bare, skippingDamage: true)
        names.formUnion(try replaceWords(by: wanted.words, in: bare, skippingDamage: true))
        catalog.insert(table.with(table.indexes, virtualTables: names))
    }
}
