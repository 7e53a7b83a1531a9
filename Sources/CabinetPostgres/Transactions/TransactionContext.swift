import Cabinet
import Foundation
import SQLSupport

/// One database as a transaction sees it: its schema, its zones, and its connection.
///
/// The transaction begins with the first call, whose statements are sent together with those that begin it. The view is used by one
/// caller at a time; ``Session`` sees to that. Its calls block, on the connection's own thread.
final class TransactionContext {
    let connection: Connection
    let database: DatabaseKey
    /// The database's name in `cabinet_database`.
    let storedName: String
    private let store: TransactionStarter
    /// The writes that must not be in the snapshot.
    let start = ReadStart()
    /// The database's row, as it is in this transaction; `nil` if the database was never written, or if the answer has not come yet.
    var row: DatabaseRow?
    /// The record types that the database has, and their tables.
    var catalog = Catalog.empty
    /// The zones that are known; ``refreshZones()`` gets the others.
    var zones = ZoneTable()
    /// The state of the write under way; `nil` in a read.
    var write: WriteState?
    private var phase: Phase
    /// The row that the database had last, from which a read speculates; `nil` if it does not.
    private var speculativeRow: DatabaseRow?
    /// Whether the server has confirmed the row from which the read speculates.
    private var isConfirmed = false
    /// Whether the transaction has a savepoint to which a read goes back.
    private var hasSavepoint = false
    /// How many statements were sent when a read went back to it last.
    private var lastRelease = 0

    /// How far the beginning of the transaction is.
    private enum Phase {
        case notBegun
        /// The statements that begin it are enqueued.
        case begun
        /// The database's row has been read, and its schema is known.
        case settled
    }

    /// - Parameter isEmpty: Whether the tables do not exist, so that no statement is sent.
    init(
        of database: DatabaseKey, in store: TransactionStarter, on connection: Connection, isEmpty: Bool = false,
        write: WriteState? = nil
    ) {
        self.database = database
        self.store = store
        self.connection = connection
        self.write = write
        storedName = database.storedName
        phase = isEmpty ? .settled : .notBegun
    }

    /// The tables and schemas that are known.
    var catalogs: SchemaCache { store.catalogs }

    /// The database's number, the first column of every key; `nil` if the database was never written.
    var databaseID: Int64? { row?.id }

    /// The schema that the tables are in, as SQL takes it.
    var schemaName: String { catalogs.schema.quoted }

    /// A system table's name as SQL takes it.
    func name(_ table: String) -> String { "\(schemaName).\(table)" }

    /// Runs a statement and returns its rows.
    ///
    /// What was enqueued before is run before, in the same round trip.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters as `$1`.
    ///   - parameters: Their values.
    ///   - isPrepared: Whether to keep the statement prepared; `false` for one that is hardly ever repeated.
    func query(_ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true) throws -> QueryResult {
        try connection.query(sql, parameters, isPrepared: isPrepared)
    }

    /// Calls a closure with each row of a statement, fetching some rows at a time, until the closure returns `false`.
    ///
    /// - Parameter body: Uses a row, and returns whether to go on; it may run other statements.
    func forEachRow(of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool) throws {
        try connection.forEachRow(of: sql, parameters, body)
    }
}

// MARK: - Beginning

extension TransactionContext {
    /// Whether the database's row has been read, and its schema is known.
    var hasSnapshot: Bool { phase == .settled }

    /// Whether a transaction is under way, or about to be.
    var hasBegun: Bool { phase != .notBegun }

    /// Enqueues the statements that begin the transaction, unless it has begun.
    func begin() throws {
        guard phase == .notBegun else { return }
        phase = .begun
        try store.enqueueBeginning(of: self)
        if write == nil { try setSavepoint() }
    }

    /// Takes the database's row as the server has answered.
    ///
    /// - Throws: ``StaleSnapshot`` if the snapshot holds a write that began after the read, or if the read has speculated wrongly.
    func take(_ found: DatabaseRow?) throws {
        if let speculativeRow {
            guard let found, found.isAlike(speculativeRow) else {
                catalogs.expect(found, in: database)
                throw StaleSnapshot()
            }
            isConfirmed = true
        }
        row = found
        if let found, !start.allows(found.writes) { throw StaleSnapshot() }
    }

    /// Waits for the answers to all that was sent, the database's row among them.
    ///
    /// A write of a database without a row adds it.
    func awaitSnapshot() throws {
        try begin()
        try connection.flush()
        if isConfirmed { phase = .settled }
        if phase == .settled { return }
        if row == nil, write != nil {
            try store.enqueueAddition(of: self)
            try connection.flush()
            guard let row else { throw PostgresFailure.damaged("cabinet_database does not take rows") }
            // Another process was quicker: the values that this transaction has read are out of date.
            if row.writes > 0 { throw StaleSnapshot() }
        }
        if let row {
            catalog = try catalogs.catalog(row.schema, on: connection)
            catalogs.expect(row, in: database)
            zones = catalogs.zones(of: row.id)
        }
        phase = .settled
    }

    /// Makes sure that the database's row and schema are known.
    func ensureSnapshot() throws {
        // Statements that were sent after the row was confirmed are not waited for.
        if isConfirmed { phase = .settled }
        if phase != .settled { try awaitSnapshot() }
    }

    /// Whether the schema and the zones are those that the database had last, and no answer has confirmed them yet.
    var isSpeculative: Bool { speculativeRow != nil && phase != .settled }

    /// Uses, in a read that has not begun, the schema and the zones that the database had last, without a round trip.
    ///
    /// The first statements of the transaction confirm them. If another process has changed them, the read runs again.
    ///
    /// - Returns: Whether they are in the cache.
    func speculate() -> Bool {
        guard write == nil, phase == .notBegun else { return isSpeculative }
        if speculativeRow != nil { return true }
        guard let expected = catalogs.expectation(of: database) else { return false }
        speculativeRow = expected.row
        row = expected.row
        // Only writes have one.
        row?.origin = nil
        catalog = expected.catalog
        zones = expected.zones
        return true
    }

    /// Begins the transaction, and waits for the database's row and schema unless the read speculates about them.
    func beginReading() throws {
        if isSpeculative { try begin() } else { try ensureSnapshot() }
    }
}

extension TransactionContext {
    /// The state of a view at some point of a transaction.
    struct State {
        fileprivate let row: DatabaseRow?
        fileprivate let catalog: Catalog
        fileprivate let zones: ZoneTable
        fileprivate let write: WriteState?
    }

    /// The state now.
    var state: State { State(row: row, catalog: catalog, zones: zones, write: write) }

    /// Restores an earlier state, after the changes since then were rolled back.
    func restore(_ state: State) {
        row = state.row
        catalog = state.catalog
        zones = state.zones
        write = state.write
    }
}

// MARK: - The end of a read

extension TransactionContext {
    private static let savepoint = "cabinet"

    /// Enqueues the statement that sets the savepoint of a read.
    private func setSavepoint() throws {
        try connection.enqueue("SAVEPOINT \(Self.savepoint)")
        hasSavepoint = true
        lastRelease = connection.sentCount
    }

    /// Ends a read, without waiting for the answer.
    func endReading() throws {
        // Answers that were not awaited must not be taken for those of the next transaction.
        if phase == .begun { try? connection.flush() }
        guard !connection.isBroken, connection.isInTransaction else { return }
        try connection.enqueue(Connection.rollback)
        try connection.push()
    }

    /// Releases the locks on tables that a read has taken, and keeps its snapshot, without waiting for the answer.
    ///
    /// Otherwise, a column could be added to a table only after all reads that have used it have ended, and one of them may be
    /// waiting for the very write that adds it.
    func releaseLocks() throws {
        guard hasSavepoint, connection.sentCount != lastRelease else { return }
        defer { lastRelease = connection.sentCount }
        try connection.enqueue("ROLLBACK TO SAVEPOINT \(Self.savepoint)")
        try connection.push()
    }
}
