import Cabinet
import Dispatch
import Foundation

/// A connection that reads, and an executor on which its calls may take long.
// Unchecked, and safe: the connection is touched only by the one read that has taken it from its pool, on the read's own
// thread or on the executor's, one after the other; in the read's body, it is reached through a `Session`, which locks.
final class PooledConnection: @unchecked Sendable {
    let executor: BlockingExecutor
    private let path: String
    private let configuration: SQLiteConfiguration
    private let catalogs: SchemaCache
    private let assets: AssetFolder
    private var connection: Connection?
    /// How long the calls of a read may take on the thread of their caller, in nanoseconds.
    private let callerTime: UInt64

    init(
        path: String, number: Int, configuration: SQLiteConfiguration, catalogs: SchemaCache, assets: AssetFolder
    ) {
        executor = BlockingExecutor(label: "Cabinet reader \(number) of \(path)")
        self.path = path
        self.configuration = configuration
        self.catalogs = catalogs
        callerTime = UInt64(clamping: Int64(configuration.callerTimeLimit / .nanoseconds(1)))
        self.assets = assets
    }

    /// Begins to read on the thread of a caller that must not be blocked.
    ///
    /// - Returns: `nil` if that may take long: the file is not open yet, or another connection has locked it.
    func beginBriefly() throws -> Session? {
        guard let connection else { return nil }
        let limit = DispatchTime.now().uptimeNanoseconds &+ callerTime
        guard
            try connection.runBriefly(until: limit, { try connection.beginReading(catalogs) }) != nil
        else { return nil }
        return Session(connection, executor: executor, briefUntil: limit)
    }

    /// Begins to read, on the executor.
    ///
    /// - Returns: `nil` if there is no file.
    func begin() throws -> Session? {
        guard let connection = try openedConnection() else { return nil }
        try connection.beginReading(catalogs)
        return Session(connection, executor: executor)
    }

    /// Ends a read.
    func end(_ session: Session) {
        _ = session.end()
        connection?.rollback()
        // A connection whose transaction cannot be ended is closed.
        if connection?.handle.isAutocommit == false { connection = nil }
    }

    /// Moves the log into the file as far as nobody reads an older state, without waiting for anybody.
    ///
    /// Call this on the executor.
    ///
    /// - Returns: How many pages the log has, and how many of them are in the file; `nil` if that is not known now.
    func checkpoint() throws -> CheckpointState? {
        guard let connection = try openedConnection() else { return nil }
        // A connection that has not read anything yet knows nothing of the log.
        try connection.beginReading(catalogs)
        connection.rollback()
        return try connection.handle.checkpoint()
    }

    /// How often a statement had to be prepared, for tests.
    ///
    /// Ask while nobody reads.
    var preparations: Int { connection?.statements.preparations ?? 0 }

    /// Closes the connection.
    ///
    /// Call this on the executor.
    func close() {
        connection = nil
    }

    /// The connection, or `nil` if there is no file.
    private func openedConnection() throws -> Connection? {
        if let connection { return connection }
        guard StoreFile.mayExist(at: path) else { return nil }
        let opened = try Connection(path: path, creates: false, configuration: configuration, assets: assets)
        try opened.handle.execute("PRAGMA query_only = ON")
        opened.handle.countSteps()
        connection = opened
        return opened
    }
}
