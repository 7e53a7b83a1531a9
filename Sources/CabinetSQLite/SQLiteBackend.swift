public import Cabinet
public import Foundation

/// A backend that stores records in SQLite files, which the `sqlite3` shell can read.
///
/// A container is a directory, and each of its databases is a file in it: `public.sqlite`, and for each user
/// `private-<user>.sqlite` and `shared-<user>.sqlite`. In a file each record type is a table and each field a column,
/// under the names that the program uses. The bytes of assets are separate files in the folder `assets`.
///
/// ```swift
/// let backend = SQLiteBackend(
///     directory: URL(fileURLWithPath: "/var/lib/shopping"))
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend)
/// ```
///
/// A file is opened when it is first used, and reading a database that does not exist creates no file. Reads run in
/// parallel to each other and to a write. Concurrent writes are committed together, and each returns when it is
/// durable. Several processes may use one directory. A store that this process may not write can be read.
///
/// By default, only the user of the process can access the files and folders that the backend creates: files have the
/// mode 0600, and folders 0700, regardless of the umask. Use ``SQLiteConfiguration/access`` to give a group access.
///
/// <doc:StorageLayout> describes the files, and <doc:BackupAndRestore> how to copy them while a program runs.
///
/// If an open file is deleted or moved, every operation on it throws ``/Cabinet/CabinetError/Code/badContainer``. No save
/// returns whose record is in a file that cannot be found again.
public final class SQLiteBackend: StorageBackend {
    /// The directory that holds the files.
    public let directory: URL

    /// The settings of the backend.
    public let configuration: SQLiteConfiguration

    let files: FileRegistry
    let assets: AssetStore
    let garbageCollector: AssetGarbageCollector
    let signals = ChangeBroadcaster()
    /// Polls the files of observed databases.
    let watcher = BlockingExecutor(label: "Cabinet watcher")

    /// Creates a backend, without opening or creating a file.
    ///
    /// - Parameters:
    ///   - directory: The directory that holds the files, as a URL of a file; the first write creates it.
    ///   - configuration: The settings of the backend.
    public init(directory: URL, configuration: SQLiteConfiguration = SQLiteConfiguration()) {
        self.directory = directory
        self.configuration = configuration
        assets = AssetStore(directory: directory, access: configuration.access)
        files = FileRegistry(directory: directory, configuration: configuration, assets: assets)
        garbageCollector = AssetGarbageCollector(files: files, assets: assets)
    }

    deinit {
        signals.finish()
        // Closing moves the log into the file, which must not block the thread that releases the backend.
        Task.detached { [files, assets, garbageCollector] in
            await garbageCollector.close()
            await files.close()
            await assets.closeOnExecutor()
        }
    }

    /// Runs a closure with a snapshot of one database.
    ///
    /// - Parameters:
    ///   - database: The database to read; one that was never written is empty.
    ///   - body: A closure that reads from the snapshot, which is valid only in the closure. It runs in the caller's
    ///     task, never on the main thread. Long reads run on a thread of the backend.
    /// - Returns: The result of the closure.
    /// - Throws: The closure's error; ``/Cabinet/CabinetError/Code/badContainer``,
    ///   ``/Cabinet/CabinetError/Code/permissionFailure``, ``/Cabinet/CabinetError/Code/incompatibleVersion`` or
    ///   ``/Cabinet/CabinetError/Code/internalError``, with the file's path, if the file cannot be read.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        return try await file.read(body)
    }

    /// Runs a closure in a write transaction of one database, and returns when its changes are durable.
    ///
    /// - Parameters:
    ///   - database: The database to change.
    ///   - body: A closure that uses the transaction, which is valid only in the closure. It runs on a thread of the
    ///     backend: in the caller's task, or in a task of its own if other writes wait too. It may run more than once, and
    ///     only its last run counts.
    /// - Returns: The result of the closure.
    /// - Throws: The closure's error; ``/Cabinet/CabinetError/Code/zoneBusy`` if another process wrote for longer than
    ///   ``SQLiteConfiguration/busyTimeout``, ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full,
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task was cancelled before the closure began, and the
    ///   errors of ``read(_:_:)`` about the file.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        let result = try await file.write(body)
        signals.signal(database)
        if assets.takeCollectionRequest(in: database) { garbageCollector.schedule(database) }
        return result
    }

    /// Signals, the list of databases, assets, and maintenance.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: self, databases: self, assets: self, maintenance: self)
    }

    /// Closes all files after the active transactions have ended.
    public func close() async {
        await garbageCollector.close()
        await files.close()
        await assets.closeOnExecutor()
        signals.finish()
    }
}
