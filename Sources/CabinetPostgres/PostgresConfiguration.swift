/// The settings of a ``PostgresBackend``.
public struct PostgresConfiguration: Sendable, Hashable {
    /// The name of the PostgreSQL schema that holds the container's tables; the first write creates it if it does not exist.
    ///
    /// A container in development and the same one in production are two schemas, and so are two containers on one server.
    public var schema: String

    /// The largest number of open connections to the server, not counting the one that announces changes and the
    /// one that listens for them.
    ///
    /// Each transaction takes one, and waits while all are taken. A server typically allows some hundred connections in all.
    public var maximumConnections: Int

    /// The time that a transaction waits for a connection before it fails with
    /// ``/Cabinet/CabinetError/Code/serviceUnavailable``.
    public var connectionWaitLimit: Duration

    /// The time limit for connecting to the server, unless the connection string sets one with `connect_timeout`.
    public var connectionTimeLimit: Duration

    /// The time for which transactions try to reconnect to a server that was reached before, while it restarts or the network
    /// is down.
    ///
    /// A write whose connection breaks is run again within this time, unless it turns out to have been committed.
    public var reconnectionTimeLimit: Duration

    /// The time after which the server cancels a statement; `nil` for the server's own limit.
    ///
    /// A commit that waits longer for a synchronous standby throws ``/Cabinet/CabinetError/Code/serverResponseLost``: its changes
    /// are committed, but a standby has not confirmed them.
    public var statementTimeLimit: Duration?

    /// The time that a write waits for other writers of the same database before it fails with
    /// ``/Cabinet/CabinetError/Code/zoneBusy``.
    public var busyTimeout: Duration

    /// The time that the server waits for the next statement of a write before it rolls the write back.
    ///
    /// A write locks its database. Without a limit, a program that is stopped during a write, or whose machine vanishes, would
    /// block all other writers of the database. A program that goes on after that finds its connection closed and runs the write
    /// again, within ``reconnectionTimeLimit``. Between the statements of a write, Cabinet applies its rules to the records:
    /// raise the limit for batches that take longer.
    public var idleWriteTimeLimit: Duration

    /// The idle time after which a connection is checked before it is used again.
    public var idleCheckInterval: Duration

    /// The interval at which the numbers of writes of all observed databases are compared.
    ///
    /// Processes announce their changes at once. If an announcement is lost, for instance because a process crashed after its
    /// commit, the others find the change by its number within this interval.
    public var changeCheckInterval: Duration

    /// The number of partitions of a new record type's table, by the hash of the database; 0 for none.
    ///
    /// Partitions of very many databases can lie on separate disks, and the server vacuums each on its own. Some dozens are
    /// enough. Existing tables do not change.
    public var partitions: Int

    /// The table size in bytes from which on an index is built without blocking writers.
    ///
    /// Such a build takes longer than one that blocks them. Tests set a lower limit.
    var concurrentIndexSize: Int64 = 16 << 20

    /// The time for which waiting writes are added to a transaction, so that neither its first writes nor other processes wait
    /// long for the last ones.
    var groupTimeLimit = Duration.milliseconds(50)

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - schema: The name of the PostgreSQL schema that holds the container's tables.
    ///   - maximumConnections: The largest number of open connections; at least 1.
    ///   - connectionWaitLimit: The time that a transaction waits for a connection.
    ///   - connectionTimeLimit: The time limit for connecting to the server.
    ///   - reconnectionTimeLimit: The time for which transactions try to reconnect.
    ///   - statementTimeLimit: The time after which the server cancels a statement.
    ///   - busyTimeout: The time that a write waits for other writers of the same database.
    ///   - idleWriteTimeLimit: The time that the server waits for the next statement of a write.
    ///   - idleCheckInterval: The idle time after which a connection is checked.
    ///   - changeCheckInterval: The interval at which the numbers of writes of observed databases are compared.
    ///   - partitions: The number of partitions of a new record type's table.
    public init(
        schema: String = "cabinet", maximumConnections: Int = 10, connectionWaitLimit: Duration = .seconds(30),
        connectionTimeLimit: Duration = .seconds(10), reconnectionTimeLimit: Duration = .seconds(60),
        statementTimeLimit: Duration? = .seconds(60), busyTimeout: Duration = .seconds(30),
        idleWriteTimeLimit: Duration = .seconds(5), idleCheckInterval: Duration = .seconds(30),
        changeCheckInterval: Duration = .seconds(5), partitions: Int = 0
    ) {
        self.schema = schema
        self.maximumConnections = maximumConnections
        self.connectionWaitLimit = connectionWaitLimit
        self.connectionTimeLimit = connectionTimeLimit
        self.reconnectionTimeLimit = reconnectionTimeLimit
        self.statementTimeLimit = statementTimeLimit
        self.busyTimeout = busyTimeout
        self.idleWriteTimeLimit = idleWriteTimeLimit
        self.idleCheckInterval = idleCheckInterval
        self.changeCheckInterval = changeCheckInterval
        self.partitions = partitions
    }
}

extension Duration {
    /// The duration in whole milliseconds, within the range of PostgreSQL's settings.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit = Int64(Int32.max)
        return min(max(min(max(seconds, 0), limit) * 1000 + attoseconds / 1_000_000_000_000_000, 0), limit)
    }
}
