import Cabinet
import Foundation

/// A connection for reading, and an executor for its long calls.
// Unchecked, and safe: only the read that has taken the connection from its pool uses it. That read runs on its own
// thread or on the executor, never on both at once. The read's body reaches the connection through a `Session`, which
// locks.
final class PooledConnection: @unchecked Sendable {
    let executor: BlockingExecutor
    private let path: String
    private let file: OpenedFile
    private let configuration: SQLiteConfiguration
    private let schemaCache: SchemaCache
    private let assets: AssetFolder
    private var connection: Connection?
    /// The file as it was opened, if it is read without locks.
    private var frozen: FrozenFile?
    /// The time that the calls of a read may take on the caller's thread, in nanoseconds.
    private let callerTime: UInt64

    init(
        path: String, _ file: OpenedFile, number: Int, configuration: SQLiteConfiguration, schemaCache: SchemaCache,
        assets: AssetFolder
    ) {
        executor = BlockingExecutor(label: "Cabinet reader \(number) of \(path)")
        (self.path, self.file) = (path, file)
        self.configuration = configuration
        self.schemaCache = schemaCache
        callerTime = UInt64(clamping: Int64(configuration.callerTimeLimit / .nanoseconds(1)))
        self.assets = assets
    }

    /// Begins a read on the caller's thread, which must not be blocked.
    ///
    /// - Parameter time: The current time, in nanoseconds of uptime.
    /// - Returns: `nil` if that may take long, because the file must be opened or another connection has locked it.
    func beginBriefly(at time: UInt64) throws -> Session? {
        guard let connection, frozen?.hasChanged != true else { return nil }
        let limit = time &+ callerTime
        var hasBegun = false
        defer { if !hasBegun { endTransaction() } }
        hasBegun = try connection.runBriefly(until: limit) { try connection.beginReading(schemaCache) } != nil
        return hasBegun ? Session(connection, executor: executor, briefUntil: limit) : nil
    }

    /// Begins a read on the executor.
    ///
    /// - Returns: `nil` if the file does not exist.
    func begin() throws -> Session? {
        do {
            return try begin(frozen: nil)
        } catch CabinetError.quotaExceeded where frozen == nil {
            // A full disk has no room for the index of the log, which the readers and writers of the file would share.
            close()
            return try begin(frozen: FrozenFile(unsharedAt: path))
        }
    }

    private func begin(frozen: FrozenFile?) throws -> Session? {
        guard let connection = try openedConnection(frozen: frozen) else { return nil }
        do {
            try connection.beginReading(schemaCache)
        } catch {
            endTransaction()
            throw error
        }
        return Session(connection, executor: executor)
    }

    /// Throws if another process has changed the file during a read without locks.
    func checkFile() throws {
        if frozen?.hasChanged == true { throw SQLiteFailure.changed(path: path) }
    }

    /// Ends a read.
    func end(_ session: Session) {
        _ = session.end()
        endTransaction()
    }

    /// Ends the transaction, also one whose rollback was stopped: SQLite asks within any statement whether to go on, and stops it if
    /// the task is cancelled or the time on the caller's thread is over.
    private func endTransaction() {
        connection?.rollback()
        // A connection whose transaction cannot be ended is closed.
        if connection?.handle.isAutocommit == false { connection = nil }
    }

    /// Moves the write-ahead log into the file up to the oldest snapshot that is still read, without waiting.
    ///
    /// Call this on the executor.
    ///
    /// - Returns: The size of the log and how much of it has been moved; `nil` if it is unknown.
    func checkpoint() throws -> CheckpointState? {
        guard let connection = try openedConnection() else { return nil }
        // A connection has no information about the log before its first read.
        try connection.beginReading(schemaCache)
        connection.rollback()
        return try connection.handle.checkpoint()
    }

    /// The number of statements that had to be prepared, for tests.
    ///
    /// Read this only while no read is active.
    var preparations: Int { connection?.statements.preparations ?? 0 }

    /// Closes the connection.
    ///
    /// Call this on the executor.
    func close() {
        connection = nil
    }

    /// Returns the connection; `nil` if the file does not exist.
    private func openedConnection(frozen other: FrozenFile? = nil) throws -> Connection? {
        if let connection, frozen?.hasChanged != true { return connection }
        close()
        let readOnly = FrozenFile(path: path)
        // A process with more rights may replace a file that is read without locks.
        if readOnly == nil { try file.check() }
        guard try StoreFile.mayHaveDatabase(at: path) else { return nil }
        frozen = readOnly ?? other
        let opened = try Connection(
            path: path, creates: false, configuration: configuration, assets: assets, frozen: frozen)
        if readOnly == nil { try file.add(opened) }
        try opened.handle.execute("PRAGMA query_only = ON")
        opened.handle.countSteps()
        connection = opened
        return opened
    }
}
