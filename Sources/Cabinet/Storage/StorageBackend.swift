public import Foundation

/// What a place to keep records must be able to do.
///
/// A backend stores; it knows no rule. It never compares change tags, never follows references, never validates a name:
/// Cabinet's core has done so before it calls. Everything that crosses this seam is a `Sendable` value, and what can vary is a
/// closed enum.
///
/// Each requirement of this protocol and of those that it hands out, ``StorageSnapshot``, ``StorageTransaction`` and ``AssetUpload``, states:
///
/// - its law, which `CabinetConformance` tests, and which names what the core has made sure of before;
/// - its complexity, which is what the core counts on, and no test judges: a backend that needs more is right, and slow;
/// - if it is optional, what happens without it. An ability is declared by implementing its requirement, and in no other way.
///
/// Whatever a requirement throws reaches who called the core, so it is a ``CabinetError`` that says what to do. A transaction whose closure
/// has thrown is undone, whatever was thrown.
///
/// A store can be opened more than once, by one process or by several. A backend either refuses the second opening with
/// ``CabinetError/Code/zoneBusy``, at once or at the first use, or all openings read and write the same records.
///
/// Blocking work must not run on Swift's cooperative threads: a backend whose calls block runs a transaction's body, and so its
/// own calls, on a thread of its own, for which `withTaskExecutorPreference` is made.
public protocol StorageBackend: Sendable {
    /// Runs a closure over an unchanging view of one database.
    ///
    /// Law: the view holds every write that returned before the call began, and no part of a later one. Reads run beside each
    /// other and beside a writer; a backend may limit how many are open, and let the others wait. The closure may be run more than once,
    /// each time over another view; only its last run counts.
    ///
    /// - Parameters:
    ///   - database: Which database to read; a database that was never written is empty.
    ///   - body: What to do with the view, which is not valid afterwards.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or a ``CabinetError`` if the store cannot be read.
    /// - Complexity: the same for any number of records.
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
    ///   for too long, ``CabinetError/Code/quotaExceeded`` if it is full, ``CabinetError/Code/serverResponseLost`` if it is not known
    ///   whether the changes are there.
    /// - Complexity: one wait for the disk or the server, however many changes there are; in their number, not in that of records.
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
    /// Optional: without it, the core looks four times a second whether ``StorageSnapshot/lastSequenceNumber()`` or
    /// ``StorageSnapshot/schema()`` are others.
    ///
    /// - Parameter database: Which database to tell of; it need not exist.
    /// - Complexity: a write pays for those who listen, and hardly anything if nobody does.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void>

    /// Lists the databases that the store has, for those who look at or copy a whole store.
    ///
    /// Law: every database that a write has changed, each once, in any order; maybe others that are empty. Databases of other processes
    /// are among them.
    ///
    /// Optional: without it, ``CabinetError/Code/serverRejectedRequest`` is thrown, and everything works that names its database.
    ///
    /// - Complexity: in the number of databases, not of records.
    func databases() async throws -> [DatabaseKey]

    /// Begins to take in the bytes of an asset.
    ///
    /// Law: what ``AssetUpload`` says. Several uploads are under way at once, of the same bytes too.
    ///
    /// Optional, together with ``StorageTransaction/add(_:uploadedAs:)``, ``StorageTransaction/removeAssets(_:)``,
    /// ``StorageSnapshot/assets(for:)``, ``StorageSnapshot/assets(after:limit:)``, ``StorageSnapshot/assetsInUse(among:)`` and
    /// ``StorageSnapshot/bytes(of:in:)``: without them, saving a record with an asset throws ``CabinetError/Code/serverRejectedRequest``.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Throws: ``CabinetError/Code/serverRejectedRequest`` if the backend keeps no assets, and the store's failures.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload

    /// Gives files with the bytes of stored assets, if the store has its bytes in files.
    ///
    /// The core asks in the closure of the read that has found the assets.
    ///
    /// Law: an asset that the read has found gets its file, even if it is removed meanwhile. The file has the asset's bytes and stays as it
    /// is until the backend is closed.
    ///
    /// Optional: without it, the core reads the bytes with ``StorageSnapshot/bytes(of:in:)`` into files of its own.
    ///
    /// - Parameters:
    ///   - assets: The assets, none twice.
    ///   - database: The database that they belong to.
    /// - Returns: For each asset its file, or `nil` if the store has lost its bytes; or `nil` if the store has no files.
    /// - Complexity: in the number of assets, not of their bytes.
    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]?

    /// Removes what interrupted processes have left of assets: bytes that no transaction has added, and those that were removed but
    /// still lie there.
    ///
    /// Law: no reader, no record and no upload that is under way misses anything. May run at any time, and beside itself.
    ///
    /// Optional: without it, nothing is removed, which is right if a process that dies leaves nothing.
    ///
    /// - Parameter database: The database whose assets to look at.
    /// - Returns: How many files, or what the store has instead, were removed.
    /// - Complexity: in the number of assets; whoever looks after the store calls it now and then, the core never does.
    @discardableResult
    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int

    /// Gives back what the backend holds: files, connections, threads.
    ///
    /// Law: transactions that are under way are finished first; those that begin later throw
    /// ``CabinetError/Code/serviceUnavailable``. Closing twice is closing once.
    func close() async
}
