public import Cabinet
import Synchronization

/// A backend that stores records in a PostgreSQL database, which any number of servers and machines can share.
///
/// A container is a PostgreSQL schema. Each record type is a table in it and each field a column, under the names that the
/// program uses. The records of all databases of the container, public and private, share these tables.
///
/// ```swift
/// let backend = try PostgresBackend(
///     connection: "postgresql://shop@db.example.com/shop?sslmode=verify-full",
///     configuration: PostgresConfiguration(schema: "shopping"))
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend)
/// ```
///
/// The backend connects when it is first used. Reads run concurrently with each other and with writes. Writes of one database
/// run one after the other, and those that wait are committed together. Writes of different databases run concurrently. A
/// connection that breaks is replaced, and a write that was running on it is run again, unless it turns out to have been
/// committed.
///
/// No error, description or log shows a password of the connection string. <doc:Running> describes roles, connections and
/// upkeep, and <doc:StorageLayout> the tables.
public final class PostgresBackend: StorageBackend, DatabaseListing {
    /// The configuration of the backend.
    public let configuration: PostgresConfiguration

    /// The connections of transactions.
    var pool: ConnectionPool { connections.pool }
    private let connections: Connections
    private let ownsConnections: Bool
    let starter: TransactionStarter
    let signals = ChangeBroadcaster()
    let announcer: ChangeAnnouncer
    let listener: ChangeListener
    /// The unlimited permits of reads and writes under way, which closing the backend waits for.
    let transactions = ResourcePool(
        permits: .max, closedError: CabinetError(.serviceUnavailable, "The PostgreSQL backend was closed."))
    let uploadCleanups = UploadCleanups()
    /// The writes that wait for others of the same database.
    let scheduler: WriteScheduler
    /// Whether a connection was ever made: the backend only reconnects to a server that it has reached before.
    let wasReached = Atomic<Bool>(false)

    /// Creates a backend, without connecting it yet.
    ///
    /// - Parameters:
    ///   - connection: The server and the login, as a libpq connection string: a URI such as
    ///     `postgresql://user@host:5432/database?sslmode=verify-full`, or keywords such as `host=… dbname=…`, with every
    ///     parameter that libpq has. The role may create schemas in the database, or the schema exists and belongs to it.
    ///   - listeningConnection: The same database without a pooler, if `connection` goes through one that gives each
    ///     transaction another server connection; such a pooler delivers no announcements of changes. `nil` to listen through
    ///     `connection`.
    ///   - configuration: The configuration of the backend.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if a string cannot be parsed, or if `schema` is not a valid
    ///   schema name.
    public convenience init(
        connection: String, listeningConnection: String? = nil,
        configuration: PostgresConfiguration = PostgresConfiguration()
    ) throws {
        try self.init(
            connection: connection, listeningConnection: listeningConnection, configuration: configuration, sharing: nil
        )
    }

    /// Creates a backend that may share connections with others.
    ///
    /// - Parameter connections: Connections to the same server, which are not closed with the backend; `nil` to create some of
    ///   its own.
    init(
        connection: String, listeningConnection: String? = nil, configuration: PostgresConfiguration,
        sharing connections: Connections?
    ) throws {
        self.configuration = configuration
        let parameters = try ConnectionParameters(connection)
        let schema = try SchemaName(configuration.schema)
        ownsConnections = connections == nil
        let connections = connections ?? Connections(parameters, configuration)
        self.connections = connections
        let starter = TransactionStarter(schema: schema, configuration: configuration)
        self.starter = starter
        scheduler = WriteScheduler(timeout: configuration.busyTimeout)
        announcer = ChangeAnnouncer(connections: connections.service, channel: schema.channel)
        listener = ChangeListener(
            ChangeListener.Environment(
                parameters: try listeningConnection.map { try ConnectionParameters($0) } ?? parameters,
                configuration: configuration, channel: schema.channel, signals: signals, announcer: announcer,
                numbers: { try await connections.numbers(of: $0, in: starter) }))
    }

    deinit {
        signals.finish()
        listener.stop()
        // Closing a connection takes a round trip. Do not block the thread that releases the backend.
        Task.detached { [announcer, connections, ownsConnections] in
            await announcer.finish()
            if ownsConnections { await connections.close() }
        }
    }

    /// Runs a closure with a snapshot of one database.
    ///
    /// - Parameters:
    ///   - database: The database to read; a database that was never written is empty.
    ///   - body: A closure that reads the snapshot, which is valid only while it runs. It runs on a thread of the backend, or
    ///     on that of a request to Cabinet's server. It is run again if its first call shows that the connection was lost, or that
    ///     the snapshot includes a write that began after the closure. It is also run again if its second call shows that the
    ///     connection was lost, or, at most once, that the database has changed since the first one.
    /// - Returns: The result of the closure.
    /// - Throws: The closure's error; ``/Cabinet/CabinetError/Code/networkFailure`` or
    ///   ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the server cannot be reached in time or the connection breaks
    ///   while the closure runs, ``/Cabinet/CabinetError/Code/badContainer`` if it refuses the login,
    ///   ``/Cabinet/CabinetError/Code/incompatibleVersion`` if the tables are of a newer version.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await inspect(database) { try await body($0) }
    }

    /// Runs a closure with a snapshot of this backend, as ``read(_:_:)`` does.
    func inspect<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (PostgresSnapshot) async throws -> Output
    ) async throws -> Output {
        try await retrying { pooled, isEager in
            await pooled.run { await self.read(database, on: pooled, isEager: isEager, body) }
        }
    }

    /// Signals, the list of databases, assets, and maintenance.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: self, databases: self, assets: self, maintenance: self)
    }

    /// Lists the databases that were written, in any order.
    ///
    /// - Throws: A server error, as ``read(_:_:)`` does.
    /// - Complexity: O(*n*) in their number.
    public func databases() async throws -> [DatabaseKey] {
        try await query { [starter] in try starter.databases(on: $0) }
    }

    /// Runs a closure that reads from the server, outside of a snapshot of a database.
    func query<Output: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Output) async throws -> Output {
        try await retrying { pooled, _ in
            await withTaskExecutorPreference(pooled.executor) { await self.query(on: pooled, body) }
        }
    }

    /// Closes all connections once the transactions under way have ended.
    public func close() async {
        await transactions.close()
        listener.stop()
        await announcer.finish()
        if ownsConnections { await connections.close() }
        signals.finish()
    }
}

// MARK: - On a connection

extension PostgresBackend {
    /// Runs a closure on a connection of the pool, and again after a failure that may pass.
    ///
    /// - Parameter body: The closure. Its second argument is whether a read has found a stale snapshot before, so that the next one
    ///   takes its snapshot at once.
    private func retrying<Output: Sendable>(
        _ body: (PooledConnection, _ isEager: Bool) async -> Result<Output, any Error>
    ) async throws -> Output {
        try await transactions.take()
        defer { transactions.giveBack(()) }
        var clock = RetryClock(configuration)
        var isEager = false
        while true {
            let pooled = try await pool.take()
            let outcome = await body(pooled, isEager)
            pool.giveBack(pooled)
            switch outcome {
            case .success(let output): return output
            case .failure(let failure as PostgresFailure):
                try await clock.wait(after: failure, isReachable: wasReached.load(ordering: .relaxed))
            case .failure(is StaleSnapshot): isEager = true
            case .failure(let error): throw error
            }
        }
    }

    private func query<Output: Sendable>(
        on pooled: PooledConnection, _ body: (Connection) throws -> Output
    ) async -> Result<Output, any Error> {
        defer { pooled.finish() }
        do {
            return .success(try body(try await pooled.connected()))
        } catch {
            return .failure(error)
        }
    }

    private func read<Output: Sendable>(
        _ database: DatabaseKey, on pooled: PooledConnection, isEager: Bool,
        _ body: @escaping @Sendable (PostgresSnapshot) async throws -> Output
    ) async -> Result<Output, any Error> {
        defer { pooled.finish() }
        let session: Session
        do {
            session = try await beginReading(database, on: pooled, isEager: isEager)
        } catch {
            return .failure(error)
        }
        ActiveSnapshots.shared.add(session, of: starter.name(of: database))
        let result: Result<Output, any Error>
        do {
            result = .success(try await body(PostgresSnapshot(session: session)))
        } catch {
            result = .failure(Session.translated(error))
        }
        await session.confirm()
        ActiveSnapshots.shared.remove(session)
        if let failure = await session.endReading() { return .failure(failure) }
        return result
    }

    /// Begins a read.
    ///
    /// - Parameter isEager: Whether the snapshot is taken before the closure runs.
    private func beginReading(
        _ database: DatabaseKey, on pooled: PooledConnection, isEager: Bool
    ) async throws -> Session {
        let connection = try await pooled.connected()
        wasReached.store(true, ordering: .relaxed)
        do {
            let context = try await starter.reading(database, on: connection, isEager: isEager)
            return Session(context)
        } catch {
            await connection.rolledBack()
            throw error
        }
    }
}
