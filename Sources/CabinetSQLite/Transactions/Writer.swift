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
    private let configuration: SQLiteConfiguration
    private let catalogs: SchemaCache
    private let assets: AssetFolder
    private var connection: Connection?
    private let counts = Mutex(Statistics())

    var statistics: Statistics { counts.withLock { $0 } }

    init(path: String, configuration: SQLiteConfiguration, catalogs: SchemaCache, assets: AssetFolder) {
        executor = BlockingExecutor(label: "Cabinet writer of \(path)")
        self.path = path
        self.configuration = configuration
        self.catalogs = catalogs
        self.assets = assets
    }

    /// Runs writes one after the other in one transaction, and finishes them when it is durable.
    ///
    /// If a write fails, all are run again in savepoints, so that it is rolled back alone. If the whole transaction
    /// cannot be committed, each write gets its own, so that as few as possible fail.
    func run(_ writes: [WriteTask<SQLiteTransaction>]) async {
        let writes = writes.filter { $0.begin() }
        guard !writes.isEmpty else { return }
        do {
            let connection = try openedConnection()
            switch await attempt(writes, on: connection, isolated: false) {
            case .committed: for write in writes { write.finish(nil) }
            case .undone(let error) where writes.count == 1: writes[0].finish(error)
            case .undone: try await runIsolated(writes, on: connection)
            case .notBegun(let error): throw error
            }
        } catch {
            for write in writes { write.finish(error) }
        }
        // A transaction that cannot be ended is rolled back by closing the connection.
        if connection?.handle.isAutocommit == false { connection = nil }
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
                case .undone(let error), .notBegun(let error): write.finish(error)
                }
            }
        case .notBegun(let error):
            throw error
        }
    }

    /// Closes the connection.
    ///
    /// Call this on the executor.
    func close() {
        connection = nil
    }

    private func openedConnection() throws -> Connection {
        if let connection { return connection }
        try StoreFile.createDirectory(for: path, configuration.access)
        try StoreFile.create(path, configuration.access)
        let opened = try Connection(path: path, creates: true, configuration: configuration, assets: assets)
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
        /// The transaction did not begin, and would not begin for a single write either.
        case notBegun(any Error)
    }

    /// Runs writes in one transaction.
    ///
    /// - Parameter isolated: Whether each write has its own savepoint, which costs two more statements per write.
    ///   Without savepoints, a failed write rolls back the whole transaction. Failures are rare.
    private func attempt(
        _ writes: [WriteTask<SQLiteTransaction>], on connection: Connection, isolated: Bool
    ) async -> Outcome {
        do {
            try connection.beginWriting(catalogs)
        } catch {
            return .notBegun(error)
        }
        let before = (catalog: connection.catalog, zones: connection.zones)
        defer { connection.writeState = WriteState() }
        func undo(_ error: any Error) -> Outcome {
            connection.rollback()
            connection.restore(before.catalog, before.zones)
            return .undone(error)
        }
        var errors: [(any Error)?] = []
        for write in writes {
            let result = await run(write, on: connection, isolated: isolated)
            if case .failure(let error) = result { return undo(error) }
            errors.append(try? result.get())
        }
        do {
            try connection.storeEntries()
            try connection.refreshSchemaVersion()
            try connection.synchronizeAssets()
            try connection.run("COMMIT")
        } catch {
            return undo(error)
        }
        if connection.writeState.hasDeletedAssets { assets.requestCollection() }
        connection.origin.update(on: connection)
        counts.withLock { $0.commits += 1 }
        catalogs.offer(connection.catalog)
        return .committed(errors)
    }

    /// Runs one write.
    ///
    /// - Returns: The error of the write if its changes could be rolled back alone; a failure if the transaction is
    ///   lost.
    private func run(
        _ write: WriteTask<SQLiteTransaction>, on connection: Connection, isolated: Bool
    ) async -> Result<(any Error)?, any Error> {
        counts.withLock { $0.runs += 1 }
        let before = (catalog: connection.catalog, zones: connection.zones)
        let lastChange = connection.writeState.lastChange
        do {
            if isolated { try connection.run("SAVEPOINT cabinet") }
            connection.writeState.locations = [:]
            let session = Session(connection)
            let thrown = await write.run(in: SQLiteTransaction(session: session))
            // The body may catch the error of a change and return normally. The change may be incomplete.
            let error = session.end() ?? thrown
            if connection.handle.isAutocommit { return .failure(error ?? Self.lost(path)) }
            guard isolated else { return error.map { .failure($0) } ?? .success(nil) }
            if error != nil {
                try connection.run("ROLLBACK TO cabinet")
                connection.restore(before.catalog, before.zones)
                connection.writeState.entries = EntryCache()
                connection.writeState.lastChange = lastChange
            } else {
                try connection.storeEntries()
            }
            try connection.run("RELEASE cabinet")
            return .success(error)
        } catch {
            return .failure(error)
        }
    }

    private static func lost(_ path: String) -> CabinetError {
        CabinetError(.internalError, "SQLite ended the transaction in \(path) by itself. Try again.")
    }
}

extension Connection {
    /// Restores the caches after a rollback.
    fileprivate func restore(_ catalog: Catalog, _ zones: ZoneTable) {
        self.catalog = catalog
        self.zones = zones
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
            } catch CabinetError.Code.zoneBusy where waiting.waits(try: count) {
                count += 1
            }
        }
    }
}
