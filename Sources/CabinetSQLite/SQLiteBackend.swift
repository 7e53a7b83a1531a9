public import Cabinet
public import Foundation

/// Keeps records in SQLite files that the `sqlite3` shell can read.
///
/// A container is a directory, and each of its databases one file in it: `public.sqlite`, and for each user
/// `private-<user>.sqlite` and `shared-<user>.sqlite`. In a file each record type is a table and each field a column,
/// under the names that the program uses. The bytes of assets are files of their own, in the folder `assets`.
///
/// ```swift
/// let backend = SQLiteBackend(directory: URL(fileURLWithPath: "/var/lib/shopping"))
/// let container = try Container(identifier: "com.example.shopping", backend: backend)
/// ```
///
/// Nothing is opened before it is used, and a database that was only read leaves no file. Reads run beside each other
/// and beside a write. Writes that come at the same time are committed together, and each returns when it is durable.
/// Several processes may use one directory.
///
/// What it creates is for the user of the process alone: files have the mode 0600, and folders 0700, whatever the umask.
/// ``SQLiteConfiguration/access`` lets a group use them too.
///
/// If a file was deleted or moved while it is open, everything that needs it throws
/// ``/Cabinet/CabinetError/Code/badContainer``, so that nothing is saved where nobody finds it again.
public final class SQLiteBackend: StorageBackend {
    /// The directory that holds the files.
    public let directory: URL

    /// How the files are used.
    public let configuration: SQLiteConfiguration

    let files: FileRegistry
    let assets: AssetStore
    let sweeper: AssetGarbageCollector
    let signals = ChangeBroadcaster()
    /// Looks at files that somebody observes.
    let watcher = BlockingExecutor(label: "Cabinet watcher")

    /// Creates a backend.
    ///
    /// Nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - directory: The directory that holds the files; the first write creates it.
    ///   - configuration: How the files are used.
    public init(directory: URL, configuration: SQLiteConfiguration = SQLiteConfiguration()) {
        self.directory = directory
        self.configuration = configuration
        assets = AssetStore(directory: directory, access: configuration.access)
        files = FileRegistry(directory: directory, configuration: configuration, assets: assets)
        sweeper = AssetGarbageCollector(files: files, assets: assets)
    }

    deinit {
        signals.finish()
        // Closing moves the log into the file, which takes a while: not on the thread that happens to drop the backend.
        Task.detached { [files, assets, sweeper] in
            await sweeper.close()
            await files.close()
            await assets.closeOnExecutor()
        }
    }

    /// Runs a closure over an unchanging view of one database.
    ///
    /// - Parameters:
    ///   - database: Which database to read; a database that was never written is empty.
    ///   - body: What to do with the view, which is not valid afterwards. It runs in the caller's task, never on the main thread; calls
    ///     of the view that take long run on a thread of the backend.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``/Cabinet/CabinetError/Code/badContainer``, ``/Cabinet/CabinetError/Code/permissionFailure``,
    ///   ``/Cabinet/CabinetError/Code/incompatibleVersion`` or ``/Cabinet/CabinetError/Code/internalError`` if the file cannot be read,
    ///   with its path.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        return try await file.read(body)
    }

    /// Runs a closure that changes one database, all or nothing, and returns when that is durable.
    ///
    /// - Parameters:
    ///   - database: Which database to change.
    ///   - body: What to do in the transaction, which is not valid afterwards. It runs on a thread of the backend, in
    ///     a task of its own; it may be run more than once, and only its last run counts.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``/Cabinet/CabinetError/Code/zoneBusy`` if another process wrote for longer than
    ///   ``SQLiteConfiguration/busyTimeout``, ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full,
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task was cancelled before the closure began, and what
    ///   ``read(_:_:)`` throws about the file.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        let result = try await file.write(body)
        signals.signal(database)
        if assets.takeAbandonment(in: database) { sweeper.schedule(database) }
        return result
    }

    /// Signals, the list of databases, assets, and maintenance.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: self, databases: self, assets: self, maintenance: self)
    }

    /// Closes all files, after the transactions that are under way.
    public func close() async {
        await sweeper.close()
        await files.close()
        await assets.closeOnExecutor()
        signals.finish()
    }
}
