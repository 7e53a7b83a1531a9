/// The interface between Cabinet and a store of records.
///
/// A backend stores records, and has no rules. It compares no change tags, follows no references and validates nothing:
/// Cabinet's core does that before it calls. Every value that crosses this seam is `Sendable`, and every choice is a closed
/// enum. <doc:WritingABackend> writes a backend step by step, and <doc:BlockingAndIndexing> lists all requirements.
///
/// Each requirement of this protocol, of ``StorageSnapshot`` and of ``StorageTransaction`` states:
///
/// - its law, which `CabinetConformance` tests, and which names what the core guarantees;
/// - its complexity, which the core counts on, and which no test judges.
///
/// There are no default implementations. A feature that a store can lack is an optional value in ``abilities`` and in
/// ``StorageSnapshot/abilities``.
///
/// An error that a requirement throws reaches the caller of the core, so it is a ``CabinetError`` that says what to do. If the
/// closure of a transaction throws, the backend rolls the transaction back.
///
/// A store can be opened more than once, by one process or by several. A backend either refuses the second opening with
/// ``CabinetError/Code/zoneBusy``, at once or at the first use, or all openings read and write the same records.
///
/// Blocking work must not run on Swift's cooperative threads. A backend whose calls block runs the body of a transaction, and its
/// own calls, on a thread of its own, with `withTaskExecutorPreference`.
public protocol StorageBackend: Sendable {
    /// Runs a closure over an unchanging view of one database.
    ///
    /// Law: the view holds every write that returned before the call began, and no part of a later one. Reads run concurrently
    /// with each other and with a writer. A backend may limit the number of open views and let further reads wait. It may run the
    /// closure more than once, each time over another view; only the last run counts. The core makes one call on a view at a
    /// time.
    ///
    /// - Parameters:
    ///   - database: The database to read. A database that was never written is empty.
    ///   - body: A closure that reads the view. The view is invalid after the closure returns.
    /// - Returns: The closure's result.
    /// - Throws: The error of the closure, or a ``CabinetError``: ``CabinetError/Code/serviceUnavailable`` if the store is
    ///   closed, or the store's other failures.
    /// - Complexity: the same for any number of records.
    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result

    /// Runs a closure that changes one database, all or nothing.
    ///
    /// Law: writes of one database are serializable: they run as if one after the other. When the call returns, the changes are
    /// as durable as the backend promises, and every later read sees them. When the call throws, the database is unchanged. A
    /// backend may run the closure more than once; only the last run counts.
    ///
    /// - Parameters:
    ///   - database: The database to change.
    ///   - body: A closure that reads and changes the database. The transaction is invalid after the closure returns, and is
    ///     rolled back if the closure throws.
    /// - Returns: The closure's result.
    /// - Throws: The error of the closure, or a ``CabinetError``: ``CabinetError/Code/zoneBusy`` if another writer held the store for
    ///   too long, ``CabinetError/Code/quotaExceeded`` if the store is full, or ``CabinetError/Code/serviceUnavailable`` if it is
    ///   closed. ``CabinetError/Code/serverResponseLost`` means that the outcome of the commit is unknown.
    /// - Complexity: one wait for the disk or the server, for any number of changes; in the number of changes, not of records.
    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result

    /// The optional abilities of the store.
    ///
    /// Law: the value does not change during the lifetime of the backend.
    var abilities: StorageAbilities { get }

    /// Releases the files, connections and threads of the backend.
    ///
    /// Law: transactions that have begun finish first. Transactions that begin later throw
    /// ``CabinetError/Code/serviceUnavailable``. A second call has no effect.
    func close() async
}
