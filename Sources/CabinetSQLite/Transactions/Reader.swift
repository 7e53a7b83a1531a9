import Cabinet
import Foundation

/// A connection that reads, on a thread of its own.
// Unchecked, and safe: the connection is touched only on the executor's thread, by the one read that has taken the
// reader from its pool; in the read's body, it is reached through a `Session`, which locks.
final class Reader: @unchecked Sendable {
    let executor: BlockingExecutor
    private let path: String
    private let configuration: SQLiteConfiguration
    private let catalogs: SchemaCache
    private let assets: AssetFolder
    private var connection: Connection?

    init(
        path: String, number: Int, configuration: SQLiteConfiguration, catalogs: SchemaCache, assets: AssetFolder
    ) {
        executor = BlockingExecutor(label: "Cabinet reader \(number) of \(path)")
        self.path = path
        self.configuration = configuration
        self.catalogs = catalogs
        self.assets = assets
    }

    /// Runs a closure over an unchanging view of the file.
    ///
    /// Call this on the executor.
    ///
    /// - Parameter body: What to do with the connection; it gets `nil` if there is no file.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (Session?) async throws -> Output
    ) async throws -> Output {
        guard let connection = try openedConnection() else { return try await body(nil) }
        try connection.beginReading(catalogs)
        let session = Session(connection)
        defer {
            _ = session.end()
            connection.rollback()
            // What cannot be ended is given up.
            if !connection.handle.isAutocommit { self.connection = nil }
        }
        return try await body(session)
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
