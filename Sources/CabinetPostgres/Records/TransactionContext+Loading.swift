import Cabinet

extension TransactionContext {
    /// Loads everything that a request names, in one round trip.
    ///
    /// The first load of a transaction is sent together with the statements that begin it, for the last known schema of the
    /// database. It is repeated if the database has another one.
    func load(_ keys: StorageKeys) async throws -> StorageValues {
        if let assumed = assumedValues(keys) { return assumed }
        // Writes that are committed together change the same entries, which are sent once, unless a range has them.
        let isPending = write?.pendingEntries.keys.contains { key in keys.entryRanges.contains { $0.contains(key) } }
        if isPending == true { try writeEntries() }
        var values = try await storedValues(keys)
        settleIfConfirmed()
        for (index, key) in keys.entries.enumerated() {
            if let text = write?.pendingEntries[key] { values.entries[index] = text }
        }
        write?.known.add(values, of: keys)
        return values
    }

    private func storedValues(_ keys: StorageKeys) async throws -> StorageValues {
        if hasSnapshot { return try await settledLoad(keys) }
        // A query needs the schema before it can be translated; its own statement confirms the schema.
        if keys.isEmpty, speculate() { return try await Load(keys, from: catalog, of: self).values() }
        // A load of entries alone is followed by other calls.
        try begin(isImplicit: !keys.records.isEmpty)
        let expected = isSpeculative ? catalog : schemaCache.expectedCatalog(of: database)
        let load = try Load(keys, from: expected, of: self)
        do {
            try await awaitSnapshot()
        } catch {
            // Statements for a schema that the database does not have may fail.
            if !hasSnapshot, !connection.isBroken, let row, row.schema != expected.id {
                schemaCache.expect(row, in: database)
                throw StaleSnapshot()
            }
            throw error
        }
        // Without a schema, the database has no records that the load could have missed.
        if catalog.id != expected.id, catalog.id != 0 { return try await settledLoad(keys) }
        return try await load.values()
    }

    private func settledLoad(_ keys: StorageKeys) async throws -> StorageValues {
        let sentCount = connection.sentCount
        if !keys.isEmpty { try begin() }
        let load = try Load(keys, from: catalog, of: self)
        if connection.sentCount != sentCount { try await connection.answers() }
        return try await load.values()
    }

    /// Returns records by ID, for the evaluator, which blocks its thread until they have arrived.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - keys: The fields to get, or `nil` for all.
    /// - Returns: An element for each ID, `nil` if the record does not exist.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        // The query whose rows are evaluated has sent a statement. Its answer confirms the schema.
        try connection.flush()
        settleIfConfirmed()
        let load = try Load(StorageKeys(records: ids, fields: keys), from: catalog, of: self)
        try connection.flush()
        if try load.enqueueLocated() { try connection.flush() }
        return load.values.records
    }
}

extension StorageKeys {
    /// Whether the request needs only the schema.
    fileprivate var isEmpty: Bool { records.isEmpty && existing.isEmpty && entries.isEmpty && entryRanges.isEmpty }
}
