/// A view of one database that can be changed, valid while the closure of ``StorageBackend/write(_:_:)`` runs.
///
/// Law: reads in a transaction see the mutations that were applied before in it. A commit writes these mutations and nothing
/// else.
///
/// The core's requests read nothing after their first ``apply(_:)``, so a store can send all mutations with the commit. Only those
/// that drop a part of a schema or change a field's type, and the copies and repairs of CabinetTools, read their own changes.
public protocol StorageTransaction: StorageSnapshot {
    /// Applies mutations in their order.
    ///
    /// Law: afterwards the law of each ``StorageMutation`` holds. If the call throws, the core rolls the transaction back.
    ///
    /// - Parameter mutations: The mutations; the array may be empty.
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the store is full, and the store's other failures.
    /// - Complexity: in the number of mutations, unless a mutation says otherwise; one round trip for any number of them.
    func apply(_ mutations: [StorageMutation]) async throws
}
