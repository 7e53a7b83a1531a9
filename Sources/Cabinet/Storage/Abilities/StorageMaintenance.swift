/// An ability to check and rebuild the structures that a store derives from the records.
public protocol StorageMaintenance: Sendable {
    /// Searches for damage that only the store itself can detect, for `verify(repairing:progress:)` of CabinetTools.
    ///
    /// The core checks everything that a view returns. This method checks what lies below, such as damaged pages, and index
    /// entries that no requirement returns.
    ///
    /// Law: the result is empty for a store that only these protocols have changed.
    ///
    /// - Parameters:
    ///   - database: The database to check.
    ///   - limit: The maximum number of issues of each kind to return.
    /// - Returns: The issues found.
    /// - Throws: The store's failures.
    /// - Complexity: in the size of the store.
    func damages(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue]

    /// Rebuilds every index and other derived structure from the records, in one transaction.
    ///
    /// Law: afterwards indexes, look-ups by ID, references by target and all other derived structures agree with the records. No
    /// deletion is remembered of a stored record, and no record has changed. Records that cannot be read are skipped and left
    /// unchanged.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the store is full, and the store's other failures.
    /// - Complexity: in the number of records and of the entries derived from them.
    func rebuildIndexes(of database: DatabaseKey) async throws
}
