import Cabinet
import SQLSupport

extension TransactionContext {
    /// Rebuilds the rows that are derived from the database's records, in the current transaction.
    ///
    /// - Complexity: O(*n*) in the number of records.
    func rebuildDerivedRows() throws {
        let databaseID = try writableID()
        for table in ["cabinet_list_reference", "cabinet_asset_use"] {
            try connection.enqueue("DELETE FROM \(name(table)) WHERE database = $1", [.integer(databaseID)])
        }
        for table in catalog.tables {
            try connection.enqueue(
                """
                DELETE FROM \(name("cabinet_deletion")) AS d USING \(table.quoted) AS t WHERE d.database = $1 \
                AND t."___database" = $1 AND t."___zone" = d.zone AND t."___recordID" = d."recordName"
                """, [.integer(databaseID)])
            for position in table.fields.referenceLists {
                try insertListReferences(in: table.columns[position], of: table, databaseID)
            }
            if !table.wordFields.isEmpty { try rebuildWords(in: table, databaseID) }
        }
        // All columns count: a field may have values although the database's schema lacks it.
        for table in try schemaCache.refreshPhysical(from: connection).tables.values {
            try insertAssetUses(of: table, databaseID)
        }
    }

    private func insertListReferences(in column: Table.Column, of table: Table, _ databaseID: Int64) throws {
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_list_reference")) (database, zone, target, source, field, position, action) \
            SELECT t."___database", t."___zone", r.target, t."___recordID", $2, r.position - 1, r.action \
            FROM \(table.quoted) AS t CROSS JOIN LATERAL unnest(t.\(column.allQuoted.joined(separator: ", t."))) \
            WITH ORDINALITY AS r(target, action, position) \
            WHERE t."___database" = $1 AND r.target IS NOT NULL AND r.action <> \(Reference.Action.none.rawValue) \
            ON CONFLICT DO NOTHING
            """, [.integer(databaseID), .text(StoredText.encoded(column.field))])
    }

    private func insertAssetUses(of table: PhysicalTables.Table, _ databaseID: Int64) throws {
        let columns = table.columns.filter { $0.type.scalar == .asset }
        if columns.isEmpty { return }
        let assets = columns.map { column in
            let quoted = "t.\(SQLName.quoted(column.name))"
            return column.type.isList ? quoted : "ARRAY[\(quoted)]"
        }
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_asset_use")) (database, zone, source, checksum) \
            SELECT t."___database", t."___zone", t."___recordID", split_part(a.asset, ':', 1) \
            FROM \(schemaName).\(SQLName.quoted(table.name)) AS t \
            CROSS JOIN LATERAL unnest(\(assets.joined(separator: " || "))) AS a(asset) \
            WHERE t."___database" = $1 AND a.asset IS NOT NULL ON CONFLICT DO NOTHING
            """, [.integer(databaseID)])
    }
}
