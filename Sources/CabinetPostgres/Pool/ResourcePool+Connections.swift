import Cabinet

/// The connections of a backend.
typealias ConnectionPool = ResourcePool<PooledConnection>

extension ConnectionPool {
    /// Creates a pool without connections.
    convenience init(_ parameters: ConnectionParameters, _ configuration: PostgresConfiguration) {
        self.init(
            limit: configuration.maximumConnections, waitLimit: configuration.connectionWaitLimit,
            timeoutError: CabinetError(
                .serviceUnavailable,
                "All \(max(configuration.maximumConnections, 1)) connections to the PostgreSQL server were in use for too long. "
                    + "Try again, or raise 'maximumConnections'.", retryAfterSeconds: 1)
        ) {
            PooledConnection(number: $0, parameters: parameters, configuration: configuration)
        }
    }

    /// Closes all connections, which must be idle.
    func closeConnections() async {
        for connection in await close() {
            await withTaskExecutorPreference(connection.executor) { connection.close() }
        }
    }

    /// The number of round trips of all connections, for tests.
    ///
    /// Read this only while all connections are idle.
    var roundTrips: Int { idleResources.reduce(0) { $0 + $1.roundTrips } }

    /// The number of statements that were sent over all connections, for tests.
    ///
    /// Read this only while all connections are idle.
    var sentCount: Int { idleResources.reduce(0) { $0 + $1.sentCount } }
}
