public import Cabinet

extension PostgresBackend: StorageMaintenance {
    /// Finds tables of records, and columns, that the store's schema lacks, or that are missing.
    ///
    /// The databases of the store share their tables, so the issues concern each of them.
    ///
    /// - Parameters:
    ///   - database: The database to check.
    ///   - limit: The largest number of issues of each kind.
    /// - Throws: A server error, as ``read(_:_:)`` does.
    /// - Complexity: O(*n*) in the number of columns.
    public func damages(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue] {
        try await query { [store] in try store.damages(on: $0, limit: limit) }
    }

    /// Rebuilds the rows that are derived from a database's records, in one transaction.
    ///
    /// They are the references and assets of records by target, the words of searches, and the tombstones. The server's own
    /// indexes, which all databases share, are left to `REINDEX`.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Throws: A server error, as ``write(_:_:)`` does.
    /// - Complexity: O(*n*) in the number of records.
    public func rebuildIndexes(of database: DatabaseKey) async throws {
        try await change(database) { transaction in
            try await transaction.session.use(isChange: true) { context in
                try await context.prepareChanges()
                try context.rebuildDerivedRows()
            }
        }
    }
}
