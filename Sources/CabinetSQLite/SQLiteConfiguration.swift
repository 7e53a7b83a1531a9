public import Cabinet

/// How a ``SQLiteBackend`` uses its files, and how much it may hold.
public struct SQLiteConfiguration: Sendable, Hashable {
    /// What a write has survived when it returns.
    public enum Durability: Sendable, Hashable {
        /// A crash of the process, of the system, and a loss of power: every commit waits for the disk.
        case full

        /// A crash of the process. A loss of power may undo the last commits, but never damages the file.
        case normal
    }

    /// What a write has survived when it returns.
    public var durability: Durability

    /// How long a write waits for another process that writes to the same file, before it fails with
    /// ``/Cabinet/CabinetError/Code/zoneBusy``.
    public var busyTimeout: Duration

    /// The most reads of one database that run at the same time; further ones wait for their turn.
    public var maximumReaders: Int

    /// The most bytes of a file that one connection keeps in memory.
    ///
    /// A database has a connection for writing and up to ``maximumReaders`` for reading. Each takes memory for what it
    /// has touched, so a small database costs little whatever this limit is.
    public var pageCacheSize: Int

    /// After how many pages (of 4 KiB) the write-ahead log is moved into the database file.
    ///
    /// A larger interval saves work when the same pages change again and again, and makes the log file larger.
    public var checkpointInterval: Int

    /// The most databases that are kept open at the same time, each of which is a file.
    ///
    /// When another one is needed, the one is closed that was idle the longest; while none is idle, who needs it waits. A
    /// database takes three file descriptors and two for each reader, and about a quarter more than this number may be open
    /// for the moment that closing takes.
    public var maximumOpenDatabases: Int

    /// How often one looks whether another process has changed a file, while somebody observes it.
    ///
    /// A look asks the file system when the file was changed last, and opens nothing: many more databases than
    /// ``maximumOpenDatabases`` may be observed. A file that was changed is then opened for a moment, in its turn; and every ten
    /// seconds each observed file is, in case the file system has told nothing.
    public var pollingInterval: Duration

    /// The users that may read and write the files and folders that are created, whatever the umask of the process.
    ///
    /// Existing files and folders keep their permissions. SQLite gives the files ending in `-wal` and `-shm` the permissions of their
    /// database.
    public var access: FileAccess

    /// The most pages that a database file may have, or `nil` for as many as the disk holds.
    ///
    /// For tests of a full store.
    var maximumPageCount: Int?

    /// The most statements that a connection keeps prepared.
    ///
    /// For tests of what keeping them is worth: with 0 a connection keeps none.
    var statementCacheLimit = 128

    /// How long the calls of a read may take on the thread of their caller.
    ///
    /// For tests that count, which no busy machine may change.
    var callerTimeLimit = Duration.milliseconds(1)

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - durability: What a write has survived when it returns.
    ///   - busyTimeout: How long a write waits for another process that writes to the same file.
    ///   - maximumReaders: The most reads of one database that run at the same time; at least 1.
    ///   - pageCacheSize: The most bytes of a file that one connection keeps in memory.
    ///   - checkpointInterval: After how many pages the write-ahead log is moved into the database file.
    ///   - maximumOpenDatabases: The most databases that are kept open at the same time; at least 1.
    ///   - pollingInterval: How often a file is looked at for other processes' changes, while somebody observes it.
    ///   - access: Who may use the files and folders that are created.
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
