public import Cabinet

extension SQLiteBackend: StorageMaintenance {
    /// Finds damage below the record model: in pages, tables, and derived structures.
    ///
    /// - Parameters:
    ///   - database: The database to check; a database without a file has no damage.
    ///   - limit: The largest number of issues that each check returns.
    /// - Throws: The errors of ``read(_:_:)`` about the file.
    /// - Complexity: Proportional to the size of the file.
    public func issues(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue] {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        return try await file.inspect { try $0.issues(limit: limit) } ?? []
    }

    /// Rebuilds every index and other derived structure from the rows of the record types' tables, in one transaction.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Throws: The errors of ``write(_:_:)`` about the file.
    /// - Complexity: Proportional to the number of records.
    public func rebuildIndexes(of database: DatabaseKey) async throws {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        try await file.change { connection in
            try connection.createLayout()
            try connection.rebuildIndexes()
        }
        signals.signal(database)
    }
}
