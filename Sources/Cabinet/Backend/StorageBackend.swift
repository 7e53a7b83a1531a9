/// What a place to keep records must be able to do.
///
/// A backend stores; it knows no rule. It never compares change tags, never follows references, never validates a name:
/// Cabinet's core has done so before it calls. Everything that crosses this seam is a `Sendable` value, and what can vary is a
/// closed enum. Each requirement states its law; `CabinetTesting` tests it.
///
/// Blocking work must not run on Swift's cooperative threads: a backend whose calls block runs a transaction's body, and so its
/// own calls, on a thread of its own, for which `withTaskExecutorPreference` is made.
public protocol StorageBackend: Sendable {
    /// Runs a closure over an unchanging view of one database.
    ///
    /// Law: the view holds every write that returned before the call began, and no part of a later one. Reads run beside each
    /// other and beside a writer.
    ///
    /// - Parameters:
    ///   - database: Which database to read; a database that was never written is empty.
    ///   - body: What to do with the view, which is not valid afterwards.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or a ``CabinetError`` if the store cannot be read.
    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result

    /// Runs a closure that changes one database, all or nothing.
    ///
    /// Law: writes of one database run as if one after the other. When the call returns, the changes are durable, as far as the
    /// backend promises durability at all, and every later read sees them. When it throws, nothing has changed. The closure may be
    /// run more than once; only its last run counts.
    ///
    /// - Parameters:
    ///   - database: Which database to change.
    ///   - body: What to do in the transaction, which is not valid afterwards. If it throws, its changes are undone.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or a ``CabinetError``: ``CabinetError/Code/zoneBusy`` if another writer held the store
    ///   for too long, ``CabinetError/Code/quotaExceeded`` if it is full.
    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result

    /// Tells when a database may have changed.
    ///
    /// Law: after a write that has changed something, a signal comes: at once if this backend made it, and within a time that the
    /// backend documents if another process did. A signal may come without a change, and several changes may be one signal; but
    /// after the last change a signal comes, whether somebody waits for it or not. The stream ends when the backend is closed.
    ///
    /// The default looks four times a second whether ``StorageSnapshot/lastSequenceNumber()`` is another one.
    ///
    /// - Parameter database: Which database to tell of; it need not exist.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void>

    /// Gives back what the backend holds: files, connections, threads.
    ///
    /// Law: transactions that are under way are finished first; those that begin later throw
    /// ``CabinetError/Code/serviceUnavailable``. Closing twice is closing once.
    func close() async
}
