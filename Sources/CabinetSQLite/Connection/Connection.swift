import CSQLite
import Cabinet
import Dispatch
import Foundation
import SQLSupport

/// One connection to a database file, with what it has learnt: prepared statements, the tables, the zones.
///
/// A connection is used by one caller at a time; ``Session`` sees to that.
final class Connection {
    let handle: DatabaseHandle
    var statements: StatementCache
    private let busyHandler: BusyHandler
    /// Where the files of the database's assets are; `nil` in a connection that is not asked for them.
    let assets: AssetFolder?

    /// The tables as they are in the transaction under way.
    var catalog = Catalog.empty
    /// The zones as they are in the transaction under way.
    var zones = ZoneTable()
    /// The version of the file's data that `zones` was read from; `nil` if it is unknown.
    var zonesVersion: UInt32?
    /// Statements about one table, by the number of its record type.
    var tableStatements: [Int64: TableStatements] = [:]
    /// The texts of the record that is being written.
    let textBuffer = TextBuffer()
    /// What is known of the write transaction under way.
    var writeState = WriteState()
    /// The life of the file that the connection knows, if it writes.
    var origin = StoreOrigin()
    /// Until when reads take it that the file is at its path, in nanoseconds of uptime.
    private var placeIsKnownUntil: UInt64 = 0

    var path: String { handle.path }

    /// Whether the connection waits for other processes that hold a lock on the file.
    var isPatient: Bool {
        get { busyHandler.isPatient }
        set { busyHandler.isPatient = newValue }
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - creates: Whether to create the file if there is none.
    ///   - configuration: How to use it.
    ///   - assets: Where the files of its assets are.
    init(path: String, creates: Bool, configuration: SQLiteConfiguration, assets: AssetFolder? = nil) throws {
        self.assets = assets
        handle = try DatabaseHandle(path: path, creates: creates)
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
        // Apple's systems answer an fsync before the disk has written, unless asked for a full one; others know no difference.
        // A file may come from anywhere: what stands in its schema may call no function that has effects, and a fault
        // of the disk must come as an error, not as the signal that reading mapped memory would raise.
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

    /// Runs a statement without parameters that returns at most one number.
    func number(_ sql: String) throws -> Int64? {
        let statement = try statements.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Runs a statement without parameters, prepared once.
    func run(_ sql: String) throws {
        try statements.statement(sql).run()
    }
}

// MARK: - Transactions

extension Connection {
    /// Begins to read: from now on the connection sees one state of the database.
    func beginReading(_ catalogs: SchemaCache) throws {
        // To ask takes a tenth of the time in which a record is read.
        let now = DispatchTime.now().uptimeNanoseconds
        if now >= placeIsKnownUntil {
            try checkPlace()
            placeIsKnownUntil = now &+ 1_000_000
        }
        try run("BEGIN")
        do {
            // Reading anything takes the snapshot; this is what every transaction needs anyway.
            try refreshCatalog(catalogs)
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins to write: waits until no other process does.
    func beginWriting(_ catalogs: SchemaCache) throws {
        try checkPlace()
        try run("BEGIN IMMEDIATE")
        do {
            try refreshCatalog(catalogs)
            try origin.check(on: self)
        } catch {
            rollback()
            throw error
        }
    }

    /// Ends the transaction without changes, if one is under way.
    func rollback() {
        guard !handle.isAutocommit else { return }
        // If this fails, SQLite has undone the transaction by itself.
        try? run("ROLLBACK")
    }

    private func checkPlace() throws {
        if handle.hasMoved { throw SQLiteFailure.moved(path: path) }
    }

    private func refreshCatalog(_ catalogs: SchemaCache) throws {
        let version = try number("PRAGMA schema_version") ?? 0
        if catalog.version == version { return }
        if let known = catalogs.catalog(version: version) {
            catalog = known
        } else {
            catalog = try Catalog(loadingFrom: self, version: version)
            catalogs.offer(catalog)
        }
        tableStatements = [:]
    }
}
