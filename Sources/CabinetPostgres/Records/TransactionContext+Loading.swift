import Cabinet

extension TransactionContext {
    /// Loads everything that a request names, in one round trip.
    ///
    /// The first load of a transaction is sent together with the statements that begin it, for the last known schema of the
    /// database. It is repeated if the database has another one.
    func load(_ keys: StorageKeys) throws -> StorageValues {
        if !keys.entryRanges.isEmpty { try writeEntries() }
        var values = try storedValues(keys)
        for (index, key) in keys.entries.enumerated() {
            if let text = write?.pendingEntries[key] { values.entries[index] = text }
        }
        return values
    }

    private func storedValues(_ keys: StorageKeys) throws -> StorageValues {
        if hasSnapshot { return try settledLoad(keys) }
        // A query needs the schema before it can be translated; its own statement confirms the schema.
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
        // Without a schema, the database has no records that the load could have missed.
        if catalog.id != expected.id, catalog.id != 0 { return try settledLoad(keys) }
        return try load.values()
    }

    private func settledLoad(_ keys: StorageKeys) throws -> StorageValues {
        let sentCount = connection.sentCount
        let load = try Load(keys, from: catalog, of: self)
        if connection.sentCount != sentCount { try connection.flush() }
        return try load.values()
    }

    /// Returns records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to get, or `nil` for all.
    /// - Returns: An element for each ID, `nil` if the record does not exist.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try load(StorageKeys(records: ids, fields: keys)).records
    }
}

extension StorageKeys {
    /// Whether the request needs only the schema.
    fileprivate var isEmpty: Bool { records.isEmpty && existing.isEmpty && entries.isEmpty && entryRanges.isEmpty }
}
