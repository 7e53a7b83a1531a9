import Cabinet

/// The connections of a backend, or of several backends on one server.
struct Connections: Sendable {
    /// The connections of transactions.
    let pool: ConnectionPool
    /// The connection that announces changes, and compares numbers of writes.
    let service: ConnectionPool

    init(_ parameters: ConnectionParameters, _ configuration: PostgresConfiguration) {
        pool = ConnectionPool(parameters, configuration)
        var single = configuration
        single.maximumConnections = 1
        service = ConnectionPool(parameters, single)
    }

    /// Returns the numbers of writes of databases.
    func numbers(of databases: [DatabaseKey], in starter: TransactionStarter) async throws -> [DatabaseKey: Int64] {
        let pooled = try await service.take()
        defer { service.giveBack(pooled) }
        return try await withTaskExecutorPreference(pooled.executor) {
            defer { pooled.finish() }
            return try await starter.numbers(of: databases, on: pooled.connected())
        }
    }

    /// Closes all connections, once they are idle.
    func close() async {
        await service.closeConnections()
        await pool.closeConnections()
    }
}
