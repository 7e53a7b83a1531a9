public import Cabinet
import Synchronization

/// Keeps records in a PostgreSQL database, for any number of servers and machines at once.
///
/// A container is a PostgreSQL schema. In it each record type is a table and each field a column, under the names that the program
/// uses; the records of all databases of the container, public and private, share these tables.
///
/// ```swift
/// let backend = try PostgresBackend(
///     connection: "postgresql://shop@db.example.com/shop?sslmode=verify-full",
///     configuration: PostgresConfiguration(schema: "shopping"))
/// let container = try Container(identifier: "com.example.shopping", backend: backend)
/// ```
///
/// Nothing is connected before it is used. Reads run beside each other and beside writes; writes of one database run one after the
/// other, those of them that wait are committed together, and those of different databases run beside each other. A connection
/// that breaks is replaced, and a write that was under way on it is run again, unless it turns out to have been committed.
///
/// Whatever the connection string holds, no error, description or log shows a password.
public final class PostgresBackend: StorageBackend, DatabaseListing {
    /// How the server is used.
    public let configuration: PostgresConfiguration

    let pool: ConnectionPool
    private let ownsPool: Bool
    let store: TransactionStarter
    let signals = ChangeBroadcaster()
    let listener: ChangeListener
    /// The reads and writes that are under way: any number of them until the backend is closed, which waits for them.
    let transactions = ResourcePool(
        permits: .max, closedError: CabinetError(.serviceUnavailable, "The PostgreSQL backend was closed."))
    /// The writes that wait for others of the same database.
    let scheduler: WriteScheduler
    /// Whether a connection was ever made: what never worked is not waited for.
    let wasReached = Atomic<Bool>(false)

    /// Creates a backend.
    ///
    /// Nothing is connected yet.
    ///
    /// - Parameters:
    ///   - connection: Where the server is and who connects, as libpq takes it: a URI such as
    ///     `postgresql://user@host:5432/database?sslmode=verify-full`, or keywords such as `host=… dbname=…`, with every parameter
    ///     that libpq has. The role may create schemas in the database, or the schema exists and belongs to it.
    ///   - configuration: How the server is used.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the string cannot be read, or if no schema can be called so.
    public convenience init(
        connection: String, configuration: PostgresConfiguration = PostgresConfiguration()
    ) throws {
        try self.init(connection: connection, configuration: configuration, sharing: nil)
    }

    /// Creates a backend that may use others' connections.
    ///
    /// - Parameter pool: Connections to the same server, which are not closed with the backend; `nil` for its own.
    init(connection: String, configuration: PostgresConfiguration, sharing pool: ConnectionPool?) throws {
        self.configuration = configuration
        let parameters = try ConnectionParameters(connection)
        let schema = try SchemaName(configuration.schema)
        ownsPool = pool == nil
        self.pool = pool ?? ConnectionPool(parameters, configuration)
        store = TransactionStarter(schema: schema, configuration: configuration)
        scheduler = WriteScheduler(timeout: configuration.busyTimeout)
        listener = ChangeListener(
            parameters: parameters, configuration: configuration, channel: schema.channel, signals: signals)
    }

    deinit {
        signals.finish()
        listener.stop()
        // A farewell to the server takes a while: not on the thread that happens to drop the backend.
        if ownsPool { Task.detached { [pool] in await pool.closeConnections() } }
    }

    /// Runs a closure over an unchanging view of one database.
    ///
    /// - Parameters:
    ///   - database: Which database to read; a database that was never written is empty.
    ///   - body: What to do with the view, which is not valid afterwards. It runs on a thread of the backend, and is run
    ///     again if the first thing that it reads shows that the connection was lost, or that the view holds a write that began
    ///     after the closure.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``/Cabinet/CabinetError/Code/networkFailure`` or
    ///   ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the server cannot be reached in time or the connection breaks while
    ///   the closure runs, ``/Cabinet/CabinetError/Code/badContainer`` if it refuses the login,
    ///   ``/Cabinet/CabinetError/Code/incompatibleVersion`` if the tables are of a newer version.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await transactions.take()
        defer { transactions.giveBack(()) }
        var clock = RetryClock(configuration)
        var isEager = false
        while true {
            let pooled = try await pool.take()
            let outcome = await withTaskExecutorPreference(pooled.executor) { [isEager] in
                await self.read(database, on: pooled, isEager: isEager, body)
            }
            pool.giveBack(pooled)
            switch outcome {
            case .success(let result): return result
            case .failure(let failure as PostgresFailure):
                try await clock.wait(after: failure, isReachable: wasReached.load(ordering: .relaxed))
            case .failure(is StaleSnapshot): isEager = true
            case .failure(let error): throw error
            }
        }
    }

    /// Signals, the list of databases, and assets.
    public var abilities: StorageAbilities { StorageAbilities(signals: self, databases: self, assets: self) }

    /// Lists the databases that were written, in any order.
    ///
    /// - Throws: What ``read(_:_:)`` throws about the server.
    /// - Complexity: O(*n*) in their number.
    public func databases() async throws -> [DatabaseKey] {
        try await transactions.take()
        defer { transactions.giveBack(()) }
        var clock = RetryClock(configuration)
        while true {
            let pooled = try await pool.take()
            let outcome = await withTaskExecutorPreference(pooled.executor) { [store] in
                defer { pooled.finish() }
                return Swift.Result { try store.databases(on: pooled.connected()) }
            }
            pool.giveBack(pooled)
            switch outcome {
            case .success(let found): return found
            case .failure(let failure as PostgresFailure):
                try await clock.wait(after: failure, isReachable: wasReached.load(ordering: .relaxed))
            case .failure(let error): throw error
            }
        }
    }

    /// Closes all connections, after the transactions that are under way.
    public func close() async {
        await transactions.close()
        listener.stop()
        if ownsPool { await pool.closeConnections() }
        signals.finish()
    }
}

// MARK: - On a connection's thread

extension PostgresBackend {
    private func read<Result: Sendable>(
        _ database: DatabaseKey, on pooled: PooledConnection, isEager: Bool,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async -> Swift.Result<Result, any Error> {
        defer { pooled.finish() }
        let session: Session
        do {
            session = try beginReading(database, on: pooled, isEager: isEager)
        } catch {
            return .failure(error)
        }
        ActiveSnapshots.shared.add(session, of: store.name(of: database))
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(PostgresSnapshot(session: session)))
        } catch {
            result = .failure(Session.translated(error))
        }
        session.confirm()
        ActiveSnapshots.shared.remove(session)
        if let failure = session.endReading() { return .failure(failure) }
        return result
    }

    /// Begins to read.
    ///
    /// - Parameter isEager: Whether the snapshot is taken before the closure runs.
    private func beginReading(_ database: DatabaseKey, on pooled: PooledConnection, isEager: Bool) throws -> Session {
        let connection = try pooled.connected()
        wasReached.store(true, ordering: .relaxed)
        do {
            let view = try store.reading(database, on: connection, isEager: isEager)
            return Session(view, executor: pooled.executor)
        } catch {
            try? connection.rollback()
            throw error
        }
    }
}
