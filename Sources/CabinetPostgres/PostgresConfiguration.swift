/// How a ``PostgresBackend`` uses its server.
public struct PostgresConfiguration: Sendable, Hashable {
    /// The name of the PostgreSQL schema that holds the container's tables; the first write makes it if it does not exist.
    ///
    /// A container in development and the same one in production are two schemas, and so are two containers on one server.
    public var schema: String

    /// The most connections to the server that are open at the same time, beside the one that listens for changes.
    ///
    /// A transaction takes one; when all are taken, it waits for its turn. A server allows some hundred in all.
    public var maximumConnections: Int

    /// How long a transaction waits for a connection while all are taken, before it fails with
    /// ``/Cabinet/CabinetError/Code/serviceUnavailable``.
    public var connectionWaitLimit: Duration

    /// How long connecting to the server may take, unless the connection string says otherwise with `connect_timeout`.
    public var connectionTimeLimit: Duration

    /// How long one tries to reach a server that was reached before and is not any more, because it is restarted or the network is
    /// down, before a transaction fails.
    ///
    /// A write whose connection breaks is run again meanwhile, unless it turns out to have been committed.
    public var reconnectionTimeLimit: Duration

    /// How long a statement may take before the server stops it; `nil` for as long as the server allows.
    ///
    /// A commit that waits for a synchronous standby for longer throws ``/Cabinet/CabinetError/Code/serverResponseLost``: its changes are
    /// committed, and no standby has confirmed them.
    public var statementTimeLimit: Duration?

    /// How long a write waits for other writers of the same database, before it fails with
    /// ``/Cabinet/CabinetError/Code/zoneBusy``.
    public var busyTimeout: Duration

    /// After how much time without use it is made sure that a connection still works before it is used again.
    public var idleCheckInterval: Duration

    /// Into how many partitions the table of a new record type is divided, by the hash of the database; 0 for none.
    ///
    /// Partitions of very many databases can lie on disks of their own, and are looked after by the server one by one; some dozens
    /// are enough. Tables that exist stay as they are.
    public var partitions: Int

    /// From how many bytes of a table on an index of it is built while others go on writing.
    ///
    /// For tests of that; it takes longer than building one of a small table while others wait.
    var concurrentIndexSize: Int64 = 16 << 20

    /// For how long writes that wait are added to a transaction: those that were run first do not wait for many that take long, and
    /// other processes do not either.
    var groupTimeLimit = Duration.milliseconds(50)

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - schema: The name of the PostgreSQL schema that holds the container's tables.
    ///   - maximumConnections: The most connections that are open at the same time; at least 1.
    ///   - connectionWaitLimit: How long a transaction waits for a connection while all are taken.
    ///   - connectionTimeLimit: How long connecting to the server may take.
    ///   - reconnectionTimeLimit: How long one tries to reach a server again.
    ///   - statementTimeLimit: How long a statement may take.
    ///   - busyTimeout: How long a write waits for other writers of the same database.
    ///   - idleCheckInterval: After how much time without use a connection is checked.
    ///   - partitions: Into how many partitions the table of a new record type is divided.
    public init(
        schema: String = "cabinet", maximumConnections: Int = 10, connectionWaitLimit: Duration = .seconds(30),
        connectionTimeLimit: Duration = .seconds(10), reconnectionTimeLimit: Duration = .seconds(60),
        statementTimeLimit: Duration? = .seconds(60), busyTimeout: Duration = .seconds(30),
        idleCheckInterval: Duration = .seconds(30), partitions: Int = 0
    ) {
        self.schema = schema
        self.maximumConnections = maximumConnections
        self.connectionWaitLimit = connectionWaitLimit
        self.connectionTimeLimit = connectionTimeLimit
        self.reconnectionTimeLimit = reconnectionTimeLimit
        self.statementTimeLimit = statementTimeLimit
        self.busyTimeout = busyTimeout
        self.idleCheckInterval = idleCheckInterval
        self.partitions = partitions
    }
}

extension Duration {
    /// The duration in whole milliseconds, as far as PostgreSQL counts them.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit = Int64(Int32.max)
        return min(max(min(max(seconds, 0), limit) * 1000 + attoseconds / 1_000_000_000_000_000, 0), limit)
    }
}
