import Cabinet
import SQLSupport

/// The references from records to assets. Each column of assets has an index, and assets in lists have a table of their
/// own.
extension Connection {
    /// Returns the subset of `checksums` that some record references, in a field or in a list.
    func assetsInUse(among checksums: [Asset.Checksum]) throws -> Set<Asset.Checksum> {
        guard !catalog.isEmptyFile else { return [] }
        var searches: [(Statement, isList: Bool)] = []
        for table in catalog.tables {
            for column in table.columns where column.type == .asset {
                // The asset's size follows after a colon.
                let sql = "SELECT 1 FROM \(table.quoted) WHERE \(column.quoted) >= ? AND \(column.quoted) < ? LIMIT 1"
                searches.append((try Statement(sql, on: handle), false))
            }
        }
        if catalog.tables.contains(where: { !$0.assetLists.isEmpty }) {
            let sql = "SELECT 1 FROM cabinet_list_asset WHERE checksum = ? LIMIT 1"
            searches.append((try Statement(sql, on: handle), true))
        }
        return try Set(
            checksums.filter { checksum in
                let text = checksum.description
                return try searches.contains { search, isList in
                    defer { search.reset() }
                    try search.bind(isList ? text : text + ":", at: 1)
                    if !isList { try search.bind(text + ";", at: 2) }
                    return try search.step()
                }
            })
    }

    /// Adds the assets in a record's lists to the table of list assets.
    func insertListAssets(of record: StoredRecord, row: Int64, in table: Table) throws {
        for position in table.assetLists {
            guard case .list(.asset(let assets)) = record.fields[table.columns[position].field] else { continue }
            // A list may contain an asset twice, and so may two lists of a record.
            let statement = try statements.statement(
                "INSERT OR IGNORE INTO cabinet_list_asset (checksum, type, row) VALUES (?, ?, ?)")
            for asset in assets {
                guard let checksum = asset.checksum else {
                    throw CabinetError(
                        .invalidArguments, "The bytes of an asset in the list are not in the store.",
                        recordID: record.recordID, fieldKey: table.columns[position].field)
                }
                try statement.bind(checksum.description, at: 1)
                try statement.bind(table.id, at: 2)
                try statement.bind(row, at: 3)
                try statement.run()
            }
        }
    }

    /// Removes the assets in the lists of a row from the table of list assets.
    func removeListAssets(row: Int64, in table: Table) throws {
        let statement = try statements.statement("DELETE FROM cabinet_list_asset WHERE type = ? AND row = ?")
        try statement.bind(table.id, at: 1)
        try statement.bind(row, at: 2)
        try statement.run()
    }
}
