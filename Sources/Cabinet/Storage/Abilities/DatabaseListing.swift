/// An ability to list the databases of a store, for work on the whole store.
public protocol DatabaseListing: Sendable {
    /// Lists the databases of the store.
    ///
    /// Law: the result has every database that a write of any process has changed, each once, in any order. It may also have
    /// empty databases.
    ///
    /// - Returns: The keys of the databases.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of databases, not of records.
    func databases() async throws -> [DatabaseKey]
}
