/// A view of one database that can be changed, valid while the closure of ``StorageBackend/write(_:_:)`` runs.
///
/// Law: what is read in a transaction contains what was applied before in it, and only that is written.
public protocol StorageTransaction: StorageSnapshot {
    /// Applies mutations, in their order.
    ///
    /// Law: what each ``StorageMutation`` says. If the call throws, the core rolls the transaction back.
    ///
    /// - Parameter mutations: The mutations; may be empty.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of mutations, unless one says otherwise; one round trip for any number of them.
    func apply(_ mutations: [StorageMutation]) async throws
}
