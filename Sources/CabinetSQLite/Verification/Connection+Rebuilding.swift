import Cabinet
import SQLSupport

/// Rebuilds the structures that are derived from the rows of the record types' tables.
extension Connection {
    /// Rebuilds all derived structures in the current transaction.
    func rebuildIndexes() throws {
        try rebuildTrees(of: intactTables())
        let tables = try intactTables()
        try rebuildLocations(of: tables)
        try rebuildListEntries(of: tables)
        for table in tables { try rebuildSearchIndexes(of: table) }
        // The version is read again before the commit, so that other processes see the change of the indexes.
        catalog.version = -1
        tableStatements = [:]
    }

    /// The B-tree indexes that a table must have.
    func expectedIndexes(of table: Table) throws -> [Table.Index] {
        let others = "SELECT 1 FROM \(table.quoted) WHERE \"___zone\" <> \(Layout.defaultZone) LIMIT 1"
        let needsZoneIndex = try table.hasZoneIndex || number(others) != nil
        return (needsZoneIndex ? [table.zoneIndex] : []) + table.generalIndexes + table.columns.compactMap(table.index)
            + table.askedIndexes
    }

    private func rebuildTrees(of tables: [Table]) throws {
        for table in tables {
            let existing = try indexNames(of: table)
            let indexes = try expectedIndexes(of: table)
            for index in indexes where existing[index.target] == nil { try create(index) }
            if indexes.contains(where: { $0.target == table.zoneIndex.target }) { catalog.insert(table.withZoneIndex) }
        }
        let search = try Statement("SELECT name FROM sqlite_master WHERE type = 'index'", on: handle)
        var names: [String] = []
        while try search.step() { names.append(search.string(0) ?? "") }
        for name in names {
            do {
                try handle.execute("REINDEX \(SQLName.quoted(name))")
            } catch let error as CabinetError where error.code == .internalError && !handle.isAutocommit {
                // Unique rows are duplicated, or pages cannot be read. The next check reports them.
            }
        }
    }

    private func rebuildLocations(of tables: [Table]) throws {
        for name in ["cabinet_record", "cabinet_deletion"] {
            try handle.execute("DELETE FROM \(name) WHERE type NOT IN (SELECT id FROM cabinet_record_type)")
        }
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

    /// Rebuilds the tables that index references and assets in lists, and removes deleted assets without a checksum.
    private func rebuildListEntries(of tables: [Table]) throws {
        try handle.execute(
            """
            DELETE FROM cabinet_list_reference; DELETE FROM cabinet_list_asset;
            DELETE FROM cabinet_abandoned_asset WHERE \(Self.hasNoChecksum)
            """)
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

    /// Rebuilds the full-text and location indexes of a table.
    func rebuildSearchIndexes(of table: Table) throws {
        let wanted = table.indexes(for: table.indexes)
        _ = try replacePlaces(by: [], in: table)
        _ = try replaceWords(by: nil, in: table)
        let bare = table.with(table.indexes, virtualTables: [])
        var names = try replacePlaces(by: wanted.places, in: bare, skippingDamage: true)
        names.formUnion(try replaceWords(by: wanted.words, in: bare, skippingDamage: true))
        catalog.insert(table.with(table.indexes, virtualTables: names))
    }
}
