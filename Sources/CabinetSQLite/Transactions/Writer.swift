import Cabinet
import Foundation
import Synchronization
import SQLSupport

/// The only connection that writes to a file, with a dedicated thread.
// Unchecked, and safe: the connection is used only on the executor's thread. One task at a time uses it: the one that
// drains the scheduler, or that closes the file after the last write. A write's body reaches the connection through a
// `Session`, which locks.
final class Writer: @unchecked Sendable {
    /// Counts for tests.
    struct Statistics: Sendable {
        /// The committed transactions.
        var commits = 0
        /// The executed bodies, including repetitions.
        var runs = 0
    }

    let executor: BlockingExecutor
    private let path: String
    private let file: OpenedFile
    private let configuration: SQLiteConfiguration
    private let schemaCache: SchemaCache
    private let assets: AssetFolder
    private var connection: Connection?
    private let counts = Mutex(Statistics())

    var statistics: Statistics { counts.withLock { $0 } }

    init(
        path: String, _ file: OpenedFile, configuration: SQLiteConfiguration, schemaCache: SchemaCache,
        assets: AssetFolder
    ) {
        executor = BlockingExecutor(label: "Cabinet writer of \(path)")
        (self.path, self.file) = (path, file)
        self.configuration = configuration
        self.schemaCache = schemaCache
        self.assets = assets
    }

    /// Runs a write in a transaction of its own, and returns when it is durable.
    ///
    /// Call this on the executor.
    func run<Output: Sendable>(
        _ body: @Sendable (SQLiteTransaction) async throws -> Output
    ) async throws -> Output {
        if Task.isCancelled { throw WorkMeter.cancellation }
        defer { closeIfLost() }
        let connection = try openedConnection()
        try connection.beginWriting(schemaCache)
        defer { connection.writeState = WriteState() }
        let known = connection.known
        let output: Output
        do {
            output = try await run(body, on: connection)
            try commit(connection)
        } catch {
            connection.rollback(to: known)
            throw error
        }
        try connection.checkPath()
        return output
    }

    /// Runs writes one after the other in one transaction, and finishes them when it is durable.
    ///
    /// If a write fails, all are run again in savepoints, so that it is rolled back alone. If the whole transaction
    /// cannot be committed, each write gets its own, so that as few as possible fail.
    func run(_ writes: [WriteTask<SQLiteTransaction>]) async {
        let writes = writes.filter { $0.begin() }
        guard !writes.isEmpty else { return }
        defer { closeIfLost() }
        do {
            let connection = try openedConnection()
            switch await attempt(writes, on: connection, isolated: false) {
            case .committed: for write in writes { write.finish(nil) }
            case .undone(let error) where writes.count == 1: writes[0].finish(error)
            case .undone: try await runIsolated(writes, on: connection)
            case .failed(let error): throw error
            }
        } catch {
            for write in writes { write.finish(error) }
        }
    }

    /// Runs writes in savepoints after one of them has failed, so that the others do not fail with it.
    private func runIsolated(_ writes: [WriteTask<SQLiteTransaction>], on connection: Connection) async throws {
        switch await attempt(writes, on: connection, isolated: true) {
        case .committed(let errors):
            for (write, error) in zip(writes, errors) { write.finish(error) }
        case .undone:
            for write in writes {
                switch await attempt([write], on: connection, isolated: false) {
                case .committed: write.finish(nil)
                case .undone(let error), .failed(let error): write.finish(error)
                }
            }
        case .failed(let error):
            throw error
        }
    }

    /// Closes the connection.
    ///
    /// Call this on the executor.
    func close() {
        connection = nil
    }

    /// Closes the connection if its transaction cannot be ended, which rolls it back.
    private func closeIfLost() {
        if connection?.handle.isAutocommit == false { connection = nil }
    }

    private func openedConnection() throws -> Connection {
        if let connection { return connection }
        try file.check()
        try StoreFile.createDirectory(for: path, configuration.access)
        try StoreFile.create(path, configuration.access)
        if FrozenFile(path: path) != nil { throw SQLiteFailure.readOnly(path: path) }
        let opened = try Connection(path: path, creates: true, configuration: configuration, assets: assets)
        if opened.handle.isReadOnly { throw SQLiteFailure.readOnly(path: path) }
        try file.add(opened)
        try opened.switchToWriteAheadLog(timeout: configuration.busyTimeout)
        if let limit = configuration.maximumPageCount { try opened.handle.execute("PRAGMA max_page_count = \(limit)") }
        connection = opened
        return opened
    }
}

// MARK: - One transaction

extension Writer {
    private enum Outcome {
        /// The transaction is durable. The array has the error of each failed write.
        case committed([(any Error)?])
        /// The whole transaction was rolled back.
        case undone(any Error)
        /// The transaction did not begin, and would not begin for a single write either, or it was committed to a file that
        /// is no longer at its path.
        case failed(any Error)
    }

    /// Runs writes in one transaction.
    ///
    /// - Parameter isolated: Whether each write has its own savepoint, which costs two more statements per write.
    ///   Without savepoints, a failed write rolls back the whole transaction. Failures are rare.
    private func attempt(
        _ writes: [WriteTask<SQLiteTransaction>], on connection: Connection, isolated: Bool
    ) async -> Outcome {
        do {
            try connection.beginWriting(schemaCache)
        } catch {
            return .failed(error)
        }
        defer { connection.writeState = WriteState() }
        let known = connection.known
        var errors: [(any Error)?] = []
        do {
            for write in writes { errors.append(try await run(write, on: connection, isolated: isolated)) }
            try commit(connection)
        } catch {
            connection.rollback(to: known)
            return .undone(error)
        }
        do {
            try connection.checkPath()
        } catch {
            return .failed(error)
        }
        return .committed(errors)
    }

    /// Runs one write of several.
    ///
    /// - Returns: The error of the write if its changes could be rolled back alone.
    /// - Throws: The error with which the transaction is lost.
    private func run(
        _ write: WriteTask<SQLiteTransaction>, on connection: Connection, isolated: Bool
    ) async throws -> (any Error)? {
        func runWrite() async throws {
            try await run({ if let error = await write.run(in: $0) { throw error } }, on: connection)
        }
        guard isolated else {
            try await runWrite()
            return nil
        }
        let known = connection.known
        let lastChange = connection.writeState.lastChange
        try connection.run("SAVEPOINT cabinet")
        var failure: (any Error)?
        do {
            try await runWrite()
            try connection.storeEntries()
        } catch {
            if connection.handle.isAutocommit { throw error }
            try connection.run("ROLLBACK TO cabinet")
            connection.restore(known)
            connection.writeState.rollBack(to: lastChange)
            failure = error
        }
        try connection.run("RELEASE cabinet")
        return failure
    }

    /// Runs the body of a write in the active transaction.
    private func run<Output>(
        _ body: (SQLiteTransaction) async throws -> Output, on connection: Connection
    ) async throws -> Output {
        counts.withLock { $0.runs += 1 }
        connection.writeState.locations = [:]
        let session = Session(connection)
        let result: Result<Output, any Error>
        do {
            result = .success(try await body(SQLiteTransaction(session: session)))
        } catch {
            result = .failure(error)
        }
        // The body may catch the error of a change and return normally. The change may be incomplete.
        if let error = session.end() { throw error }
        let output = try result.get()
        if connection.handle.isAutocommit { throw Self.lost(path) }
        return output
    }

    /// Commits the active transaction.
    private func commit(_ connection: Connection) throws {
        try connection.storeEntries()
        try connection.refreshSchemaVersion()
        try connection.synchronizeAssets()
        try connection.run("COMMIT")
        if connection.writeState.hasDeletedAssets { assets.requestCollection() }
        connection.origin.update(on: connection)
        connection.keepWriteState()
        counts.withLock { $0.commits += 1 }
        schemaCache.offer(connection.catalog)
        Self.hasCommitted.store(true, ordering: .relaxed)
    }

    /// Whether a write of any file was committed since a read has last yielded, so that a task may wait to go on.
    static let hasCommitted = Atomic(false)

    private static func lost(_ path: String) -> CabinetError {
        CabinetError(.internalError, "SQLite ended the transaction in \(path) by itself. Try again.")
    }
}

extension Connection {
    /// The tables and zones in the current transaction.
    fileprivate var known: (catalog: Catalog, zones: ZoneTable) { (catalog, zones) }

    /// Rolls the transaction back, and restores the tables and zones that were known before it.
    fileprivate func rollback(to known: (catalog: Catalog, zones: ZoneTable)) {
        rollback()
        restore(known)
    }

    /// Restores the caches after a rollback.
    fileprivate func restore(_ known: (catalog: Catalog, zones: ZoneTable)) {
        (catalog, zones) = known
        zonesVersion = nil
        tableStatements = [:]
    }

    /// Reads the version of the schema if this transaction has changed it.
    fileprivate func refreshSchemaVersion() throws {
        guard catalog.version < 0 else { return }
        catalog.version = try number("PRAGMA schema_version") ?? 0
    }

    /// Switches the file to write-ahead logging, which is a permanent property of the file.
    fileprivate func switchToWriteAheadLog(timeout: Duration) throws {
        // When two processes open a new file at once, SQLite reports it as locked without waiting, to avoid a deadlock.
        let waiting = BusyHandler(timeout: timeout)
        var count: Int32 = 0
        while true {
            do {
                return try handle.execute("PRAGMA journal_mode = WAL")
            } catch CabinetError.Code.zoneBusy where waiting.sleepBeforeRetry(count) {
                count += 1
            }
        }
    }
}
