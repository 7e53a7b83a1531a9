/// Lists the databases of a store, for work on the whole store.
public protocol DatabaseListing: Sendable {
    /// Lists the databases of the store.
    ///
    /// Law: every database that a write has changed, each once, in any order; possibly others that are empty. Databases that other
    /// processes have written are included.
    ///
    /// - Complexity: in the number of databases, not of records.
    func databases() async throws -> [DatabaseKey]
}
