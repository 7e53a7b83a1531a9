import Cabinet
import Foundation
import Synchronization

/// A connection of the pool, with an executor, on which it connects.
// Unchecked, and safe: the connection and the time of its last use are touched only by the one transaction that has taken
// it from its pool. In the transaction's body, the connection is reached through a `Session`,
// which locks: `ActiveSnapshots` releases locks through it on a thread of its own.
final class PooledConnection: @unchecked Sendable {
    let executor: BlockingExecutor
    private let parameters: ConnectionParameters
    private let configuration: PostgresConfiguration
    private var connection: Connection?
    private var lastUse = ContinuousClock.now

    /// The seconds in which a server must show that a connection still works.
    private static let checkLimit: TimeInterval = 5

    init(number: Int, parameters: ConnectionParameters, configuration: PostgresConfiguration) {
        executor = BlockingExecutor(label: "Cabinet PostgreSQL \(number)")
        self.parameters = parameters
        self.configuration = configuration
    }

    /// Runs a read where its calls wait for the server.
    ///
    /// On an executor that may run short calls, the read stays where it is, because two changes of threads take longer than a short
    /// statement.
    func run<Output: Sendable>(_ transaction: @Sendable () async throws -> Output) async rethrows -> Output {
        if ShortCalls.mayBlockExecutor { return try await transaction() }
        return try await withTaskExecutorPreference(executor) { try await transaction() }
    }

    /// Returns the connection, which is checked if it was idle for a while, and replaced if it is broken.
    ///
    /// - Throws: ``PostgresFailure`` if the server cannot be reached.
    func connected() async throws -> Connection {
        let isIdle = ContinuousClock.now - lastUse > configuration.idleCheckInterval
        if let connection, !isIdle, connection.isUsable(checkingWithin: nil) { return connection }
        return try await withTaskExecutorPreference(executor) {
            if isIdle, let connection, connection.isUsable(checkingWithin: Self.checkLimit) { return connection }
            connection = nil
            let opened = try Connection(parameters, executor: executor, configuration: configuration)
            connection = opened
            return opened
        }
    }

    /// Ends a use of the connection, and drops it if it is broken or its transaction has not ended.
    func finish() {
        lastUse = .now
        if connection?.isReusable == false { connection = nil }
    }

    /// The number of round trips of the connection, for tests.
    ///
    /// Read this only while the connection is idle.
    var roundTrips: Int { connection?.roundTrips ?? 0 }

    /// The number of statements that were sent over the connection, for tests.
    ///
    /// Read this only while the connection is idle.
    var sentCount: Int { connection?.sentCount ?? 0 }

    /// Closes the connection.
    ///
    /// Call this on the executor.
    func close() {
        connection = nil
    }
}
