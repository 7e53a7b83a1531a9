public import Cabinet

extension PostgresBackend: StorageMaintenance {
    /// Finds tables of records, columns, indexes and keys that are missing, and those that the store's schema lacks, and rows that
    /// no transaction can reach.
    ///
    /// The databases of the store share their tables, so issues of tables and indexes concern each of them.
    ///
    /// - Parameters:
    ///   - database: The database to check.
    ///   - limit: The largest number of issues that each check returns.
    /// - Throws: A server error, as ``read(_:_:)`` does.
    /// - Complexity: O(*n*) in the number of columns, and of the database's records outside of the default zone.
    public func issues(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue] {
        try await query { [starter] in try starter.issues(in: database, on: $0, limit: limit) }
    }

    /// Creates missing indexes, and rebuilds the rows that are derived from a database's records.
    ///
    /// Each index is created in a transaction of its own, or concurrently if its table is large. A key whose values occur twice
    /// stays missing. The derived rows are the references and assets of records by target, the words of searches, and the
    /// tombstones; they are rebuilt in one transaction. Other damage of the server's indexes is left to `REINDEX`.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Throws: A server error, as ``write(_:_:)`` does.
    /// - Complexity: O(*n*) in the number of records.
    public func rebuildIndexes(of database: DatabaseKey) async throws {
        try await query { [starter, configuration] connection in
            try starter.createMissingIndexes(of: database, on: connection, configuration)
        }
        try await change(database) { transaction in
            try await transaction.session.use(isChange: true) { context in
                try await context.prepareChanges()
                try context.rebuildDerivedRows()
            }
        }
    }
}
