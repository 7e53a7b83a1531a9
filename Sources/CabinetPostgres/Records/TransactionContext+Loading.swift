import Cabinet

extension TransactionContext {
    /// The number of the database whose name is the parameter `$1`, in SQL.
    ///
    /// PostgreSQL looks it up once for each statement.
    var databaseNumber: String { "(SELECT id FROM \(name("cabinet_database")) WHERE name = $1)" }

    /// Loads everything that a request names, in one round trip.
    ///
    /// The first load of a transaction is sent together with the statements that begin it, for the schema that the database had last. It
    /// is repeated if the database has another one.
    func load(_ keys: StorageKeys) throws -> StorageValues {
        if hasSnapshot { return try settledLoad(keys) }
        // A query needs the schema first; its own statement confirms it.
        if keys.isEmpty, speculate() { return try Load(keys, from: catalog, of: self).values() }
        try begin()
        let expected = isSpeculative ? catalog : catalogs.expectedCatalog(of: database)
        let load = try Load(keys, from: expected, of: self)
        do {
            try awaitSnapshot()
        } catch {
            // Statements for a schema that the database does not have may fail.
            if !hasSnapshot, !connection.isBroken, let row, row.schema != expected.id {
                catalogs.expect(row, in: database)
                throw StaleSnapshot()
            }
            throw error
        }
        // Without a schema, there are no records to be missed.
        if catalog.id != expected.id, catalog.id != 0 { return try settledLoad(keys) }
        return try load.values()
    }

    private func settledLoad(_ keys: StorageKeys) throws -> StorageValues {
        let sentCount = connection.sentCount
        let load = try Load(keys, from: catalog, of: self)
        if connection.sentCount != sentCount { try connection.flush() }
        return try load.values()
    }

    /// Gets records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to get, or `nil` for all.
    /// - Returns: An element for each ID, `nil` where there is no such record.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try load(StorageKeys(records: ids, fields: keys)).records
    }
}

extension StorageKeys {
    /// Whether nothing is asked for but the schema.
    fileprivate var isEmpty: Bool { records.isEmpty && existing.isEmpty && entries.isEmpty && entryRanges.isEmpty }
}
