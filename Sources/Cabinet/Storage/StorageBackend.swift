/// The interface between Cabinet and a store of records.
///
/// A backend stores; it knows no rule. It never compares change tags, never follows references and never validates: Cabinet's core
/// has done that before it calls. Everything that crosses this seam is a `Sendable` value, and what can vary is a closed enum.
///
/// Each requirement of this protocol, of ``StorageSnapshot`` and of ``StorageTransaction`` states:
///
/// - its law, which `CabinetConformance` tests, and which names what the core guarantees;
/// - its complexity, which the core counts on, and which no test judges.
///
/// There are no default implementations. What a store need not be able to do is an optional value in ``abilities`` and in
/// ``StorageSnapshot/abilities``.
///
/// An error that a requirement throws reaches the caller of the core, so it is a ``CabinetError`` that says what to do. If the closure of a
/// transaction throws, the transaction is rolled back.
///
/// A store can be opened more than once, by one process or by several. A backend either refuses the second opening with
/// ``CabinetError/Code/zoneBusy``, at once or at the first use, or all openings read and write the same records.
///
/// Blocking work must not run on Swift's cooperative threads: a backend whose calls block runs a transaction's body, and so its
/// own calls, on a thread of its own, with `withTaskExecutorPreference`.
public protocol StorageBackend: Sendable {
    /// Runs a closure over an unchanging view of one database.
    ///
    /// Law: the view holds every write that returned before the call began, and no part of a later one. Reads run beside each
    /// other and beside a writer; a backend may limit how many are open, and let the others wait. The closure may run more than once,
    /// each time over another view; only its last run counts. The core makes one call on a view at a time.
    ///
    /// - Parameters:
    ///   - database: The database to read; a database that was never written is empty.
    ///   - body: What to do with the view, which is not valid afterwards.
    /// - Returns: The closure's result.
    /// - Throws: What the closure throws, or a ``CabinetError`` if the store cannot be read.
    /// - Complexity: the same for any number of records.
    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result

    /// Runs a closure that changes one database, all or nothing.
    ///
    /// Law: writes of one database run as if one after the other. When the call returns, the changes are durable, as far as the
    /// backend promises durability at all, and every later read sees them. When it throws, nothing has changed. The closure may
    /// run more than once; only its last run counts.
    ///
    /// - Parameters:
    ///   - database: The database to change.
    ///   - body: What to do in the transaction, which is not valid afterwards. If it throws, its changes are rolled back.
    /// - Returns: The closure's result.
    /// - Throws: What the closure throws, or a ``CabinetError``: ``CabinetError/Code/zoneBusy`` if another writer held the store
    ///   for too long, ``CabinetError/Code/quotaExceeded`` if it is full, ``CabinetError/Code/serverResponseLost`` if it is not known
    ///   whether the changes were committed.
    /// - Complexity: one wait for the disk or the server, however many changes there are; in their number, not in that of records.
    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result

    /// The optional abilities of the store.
    ///
    /// Law: the same abilities as long as the backend lives.
    var abilities: StorageAbilities { get }

    /// Releases what the backend holds: files, connections, threads.
    ///
    /// Law: transactions that are under way finish first; those that begin later throw
    /// ``CabinetError/Code/serviceUnavailable``. Closing twice is closing once.
    func close() async
}
