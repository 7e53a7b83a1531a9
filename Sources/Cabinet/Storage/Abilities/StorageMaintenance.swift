/// Checks and rebuilds what a store derives from the records, below the seam.
public protocol StorageMaintenance: Sendable {
    /// Looks for damage that only the store itself can see, for `verify(repairing:progress:)` of CabinetTools.
    ///
    /// The core checks whatever a view can tell: what is looked for here lies below it, such as damaged pages, and entries of indexes
    /// that no requirement returns.
    ///
    /// Law: of a store that only the protocols' calls have changed, nothing is found.
    ///
    /// - Parameters:
    ///   - database: The database to check.
    ///   - limit: The most issues of each kind to return.
    /// - Complexity: in the size of the store.
    func damages(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue]

    /// Rebuilds every index and other derived structure from the records, in one transaction.
    ///
    /// Law: afterwards indexes, look-ups by ID, references by target and whatever else follows from the records agree with them; no
    /// deletion is remembered of a record that is stored; and no record has changed. What cannot be read is left out, and left as it is.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Complexity: in the number of records, and of what is derived from them.
    func rebuildIndexes(of database: DatabaseKey) async throws
}
