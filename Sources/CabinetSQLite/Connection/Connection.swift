import CSQLite
import Cabinet
import Dispatch
import Foundation
import SQLSupport

/// A connection to a database file, with its caches: prepared statements, tables, zones.
///
/// Only one caller uses a connection at a time, which ``Session`` ensures.
final class Connection {
    let handle: DatabaseHandle
    var statements: StatementCache
    private let busyHandler: BusyHandler
    /// The folder with the files of the database's assets; `nil` in a connection that does not use them.
    let assets: AssetFolder?

    /// The tables in the current transaction.
    var catalog = Catalog.empty
    /// The zones in the current transaction.
    var zones = ZoneTable()
    /// The version of the file's data that `zones` was read from; `nil` if it is unknown.
    var zonesVersion: UInt32?
    /// Statements about one table, by the number of its record type.
    var tableStatements: [Int64: TableStatements] = [:]
    /// The texts of the record that is being written.
    let textBuffer = TextBuffer()
    /// The state of the current write transaction.
    var writeState = WriteState()
    /// The state that the last write transaction has left, in which the next one begins.
    private var committedState = WriteState()
    /// The origin of the file, which a writing connection tracks.
    var origin = StoreOrigin()
    /// The time until which transactions begin without the check that the file is still at its path, in nanoseconds of
    /// uptime.
    private var pathIsValidUntil: UInt64 = 0

    var path: String { handle.path }

    /// Whether the connection waits for locks of other processes.
    var waitsForLocks: Bool {
        get { busyHandler.waitsForLocks }
        set { busyHandler.waitsForLocks = newValue }
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - creates: Whether to create the file if it does not exist.
    ///   - configuration: The settings of the connection.
    ///   - assets: The folder with the files of the database's assets.
    ///   - frozen: The file if it is to be read without locks.
    init(
        path: String, creates: Bool, configuration: SQLiteConfiguration, assets: AssetFolder? = nil,
        frozen: FrozenFile? = nil
    ) throws {
        self.assets = assets
        handle = try DatabaseHandle(path: path, creates: creates, frozen: frozen)
        statements = StatementCache(handle: handle, limit: configuration.statementCacheLimit)
        busyHandler = BusyHandler(timeout: configuration.busyTimeout)
        busyHandler.install(on: handle)
        try handle.add(SQLFunction.all)
        try handle.add(SQLAggregate.all)
        let durability =
            switch configuration.durability {
            case .full: "FULL"
            case .normal: "NORMAL"
            }
        // The file may come from an untrusted source, so its schema must not call functions with side effects.
        // Memory mapping is off, because a disk failure must be an error, not a signal.
        // On Apple's systems, fsync returns before the disk has written the bytes, unless fullfsync is on. Elsewhere
        // this pragma has no effect.
        try handle.execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA mmap_size = 0;
            PRAGMA synchronous = \(durability);
            PRAGMA fullfsync = ON;
            PRAGMA cache_size = -\(max(configuration.pageCacheSize / 1024, 64));
            PRAGMA wal_autocheckpoint = \(max(configuration.checkpointInterval, 1));
            PRAGMA journal_size_limit = \(64 << 20);
            """)
    }

    deinit {
        statements = StatementCache(handle: handle, limit: 0)
        tableStatements = [:]
        sqlite3_busy_handler(handle.pointer, nil, nil)
    }

    /// Runs a statement without parameters, and returns the number in its first row.
    func number(_ sql: String) throws -> Int64? {
        let statement = try statements.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Runs a prepared statement without parameters or rows.
    func run(_ sql: String) throws {
        try statements.statement(sql).run()
    }
}

// MARK: - Transactions

extension Connection {
    /// Begins a read transaction with a snapshot of the database.
    func beginReading(_ schemaCache: SchemaCache) throws {
        try checkPathIfDue()
        try run("BEGIN")
        do {
            // The first read takes the snapshot. Every transaction needs the schema version.
            try refreshCatalog(schemaCache)
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins a write transaction, after waiting for other processes.
    func beginWriting(_ schemaCache: SchemaCache) throws {
        try run("BEGIN IMMEDIATE")
        do {
            // The file may have been moved or deleted during the wait.
            try checkPathIfDue()
            // A transaction that is rolled back leaves no state, so that it need not be copied.
            writeState = committedState
            committedState = WriteState()
            if !origin.isCurrent(on: self) {
                writeState = WriteState()
                try refreshCatalog(schemaCache)
                try origin.check(on: self)
            }
            try upgradeLayout()
        } catch {
            rollback()
            throw error
        }
    }

    /// Remembers what the next write transaction need not read, after a commit.
    func keepWriteState() {
        committedState.known = writeState.known
        committedState.hasDeletions = writeState.hasDeletions
    }

    /// Rolls the transaction back, if one is active.
    func rollback() {
        guard !handle.isAutocommit else { return }
        // If this fails, SQLite has already rolled the transaction back.
        try? run("ROLLBACK")
    }

    /// Throws if the file is no longer at its path.
    ///
    /// Call this after each commit: only then it is certain that the changes are in a file that can be found again.
    func checkPath() throws {
        let now = DispatchTime.now().uptimeNanoseconds
        pathIsValidUntil = 0
        if handle.hasMoved { throw SQLiteFailure.moved(path: path) }
        pathIsValidUntil = now &+ 1_000_000
    }

    /// Throws if the file is no longer at its path, unless the last check was within a millisecond.
    ///
    /// The check takes a tenth of the time of reading a record. Of saves without a pause, each makes only the one after its
    /// commit.
    private func checkPathIfDue() throws {
        if DispatchTime.now().uptimeNanoseconds >= pathIsValidUntil { try checkPath() }
    }

    private func refreshCatalog(_ schemaCache: SchemaCache) throws {
        let version = try number("PRAGMA schema_version") ?? 0
        if catalog.version == version { return }
        if let known = schemaCache.catalog(version: version) {
            catalog = known
        } else {
            catalog = try Catalog(loadingFrom: self, version: version)
            schemaCache.offer(catalog)
        }
        tableStatements = [:]
    }
}
