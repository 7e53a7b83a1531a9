public import Cabinet

/// The settings of a ``SQLiteBackend``: durability, limits, and intervals.
public struct SQLiteConfiguration: Sendable, Hashable {
    /// The failures that a committed write survives.
    public enum Durability: Sendable, Hashable {
        /// Survives a crash of the process or of the system, and a loss of power: every commit waits for the disk.
        case full

        /// Survives a crash of the process. A loss of power may revert the last commits, but never damages the file.
        case normal
    }

    /// The failures that a committed write survives.
    public var durability: Durability

    /// The time that a write waits for another process that writes to the same file.
    ///
    /// After it, the write fails with ``/Cabinet/CabinetError/Code/zoneBusy``.
    public var busyTimeout: Duration

    /// The largest number of reads of one database that run at the same time; further reads wait.
    public var maximumReaders: Int

    /// The largest number of bytes of a file that one connection caches in memory.
    ///
    /// A database has one connection for writing and up to ``maximumReaders`` for reading. A connection caches only
    /// pages that it has used, so a small database needs little memory at any limit.
    public var pageCacheSize: Int

    /// The number of pages, of 4 KiB, in the write-ahead log that starts a checkpoint.
    ///
    /// A larger interval saves work when the same pages change repeatedly, but the log file grows larger.
    public var checkpointInterval: Int

    /// The largest number of databases, each a file, that are open at the same time.
    ///
    /// To open another database, the backend closes the least recently used idle one. If all are in use, the caller
    /// waits. A database takes three file descriptors, and two more for each reader. While files are being closed, up
    /// to a quarter more may be open.
    public var maximumOpenDatabases: Int

    /// The interval in which an observed file is checked for changes by other processes.
    ///
    /// A check reads the modification time of the file without opening it, so many more databases than
    /// ``maximumOpenDatabases`` can be observed. A changed file is opened for a moment. In addition, each observed file
    /// is opened every ten seconds, in case the file system has not reported a change.
    public var pollingInterval: Duration

    /// The users that may read and write the files and folders that the backend creates, regardless of the umask.
    ///
    /// Existing files and folders keep their permissions. SQLite gives the files ending in `-wal` and `-shm` the
    /// permissions of the database file.
    public var access: FileAccess

    /// The largest number of pages in a database file, or `nil` for no limit.
    ///
    /// For tests of a full store.
    var maximumPageCount: Int?

    /// The largest number of prepared statements that a connection caches.
    ///
    /// For tests and benchmarks of the cache: 0 turns it off.
    var statementCacheLimit = 128

    /// The time that the calls of a read may take on the caller's thread.
    ///
    /// For tests that count calls, whose results must not depend on the load of the machine.
    var callerTimeLimit = Duration.milliseconds(1)

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - durability: The failures that a committed write survives.
    ///   - busyTimeout: The time that a write waits for another process that writes to the same file.
    ///   - maximumReaders: The largest number of reads of one database that run at the same time; at least 1.
    ///   - pageCacheSize: The largest number of bytes of a file that one connection caches in memory.
    ///   - checkpointInterval: The number of pages in the write-ahead log that starts a checkpoint.
    ///   - maximumOpenDatabases: The largest number of databases that are open at the same time; at least 1.
    ///   - pollingInterval: The interval in which an observed file is checked for changes by other processes.
    ///   - access: The users that may read and write the files and folders that the backend creates.
    public init(
        durability: Durability = .full, busyTimeout: Duration = .seconds(30), maximumReaders: Int = 4,
        pageCacheSize: Int = 64 << 20, checkpointInterval: Int = 10_000, maximumOpenDatabases: Int = 64,
        pollingInterval: Duration = .milliseconds(250), access: FileAccess = .owner
    ) {
        self.durability = durability
        self.busyTimeout = busyTimeout
        self.maximumReaders = maximumReaders
        self.pageCacheSize = pageCacheSize
        self.checkpointInterval = checkpointInterval
        self.maximumOpenDatabases = maximumOpenDatabases
        self.pollingInterval = pollingInterval
        self.access = access
    }
}
