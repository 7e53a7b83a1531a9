import Cabinet
import Foundation
import SQLSupport

/// The state of a transaction on one database: its schema, its zones, and its connection.
///
/// The first call begins the transaction, and sends its statements together with those that begin it. ``Session`` ensures that
/// one caller at a time uses the context. Its asynchronous calls release the thread while they wait for the server; the others
/// block it.
final class TransactionContext {
    let connection: Connection
    let database: DatabaseKey
    /// The database's name in `cabinet_state`.
    let storedName: String
    /// The database's number; `nil` if it was never written, so that no statement is sent.
    let number: DatabaseNumber?
    private let starter: TransactionStarter
    /// The writes that the snapshot must not include.
    let start = ReadStart()
    /// The database's row in this transaction; `nil` if the database was never written, or if the answer has not arrived.
    var row: DatabaseRow?
    /// The record types of the database, and their tables.
    var catalog = Catalog.empty
    /// The known zones; ``refreshZones()`` loads the others.
    var zones = ZoneTable()
    /// The state of a write; `nil` in a read.
    var write: WriteState?
    /// The assumptions of a write; `nil` if it reads everything.
    var assumptions: Assumptions?
    private var phase: Phase
    /// The cached row that a read speculates on; `nil` if it does not speculate.
    private var speculativeRow: DatabaseRow?
    /// Whether the server has confirmed the cached row.
    private var isConfirmed = false
    /// The number of writes that the read's first transaction has seen; `nil` before the end of that transaction.
    private var firstWrites: Int64?
    /// Whether a read has set its savepoint.
    private var hasSavepoint = false
    /// The number of statements that were sent before the last rollback to the savepoint.
    private var lastRelease = 0
    /// Whether the statements under way are an implicit transaction, which ends with their answers.
    private var isImplicit = false

    /// The phases of beginning a transaction.
    private enum Phase {
        case notBegun
        /// The statements that begin the transaction are enqueued.
        case begun
        /// The database's row and schema have been read.
        case settled
        /// They have been read, in a transaction that has ended.
        case ended
    }

    /// Creates a context.
    init(
        of database: DatabaseKey, _ number: DatabaseNumber?, in starter: TransactionStarter, on connection: Connection,
        write: WriteState? = nil
    ) {
        self.database = database
        self.number = number
        self.starter = starter
        self.connection = connection
        self.write = write
        storedName = database.storedName
        phase = number == nil ? .settled : .notBegun
    }

    /// The cached tables and schemas.
    var schemaCache: SchemaCache { starter.schemaCache }

    /// The database's number, the first column of every key; `nil` if the database was never written.
    var databaseID: Int64? { row?.id }

    /// The quoted name of the schema.
    var schemaName: String { schemaCache.schema.quoted }

    /// Returns the qualified name of a system table.
    func name(_ table: String) -> String { "\(schemaName).\(table)" }

    /// Runs a statement and returns its rows, in the same round trip as the enqueued statements before it.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters as `$1`.
    ///   - parameters: The values of the parameters.
    ///   - isPrepared: Whether to keep the statement prepared; `false` for one that is rarely repeated.
    func query(_ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true) throws -> QueryResult {
        try connection.query(sql, parameters, isPrepared: isPrepared)
    }

    /// Calls a closure with each row of a statement, fetching them in batches, until the closure returns `false`.
    ///
    /// This blocks the thread.
    ///
    /// - Parameter body: A closure that returns whether to continue; it may run other statements.
    func forEachRow(of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool) throws {
        try connection.forEachRowBlocking(of: sql, parameters, body)
    }
}

// MARK: - Beginning

extension TransactionContext {
    /// Whether the database's row and schema have been read.
    var hasSnapshot: Bool { phase == .settled || phase == .ended }

    /// Whether the statements of an implicit transaction are under way.
    var isInImplicitTransaction: Bool { phase == .begun && isImplicit }

    /// Whether the first transaction of a read has ended, and another one continues it.
    var isContinued: Bool { firstWrites != nil }

    /// Enqueues the statements that begin the transaction, unless it has begun.
    ///
    /// - Parameter isImplicit: Whether the next statements may be all that the read sends. Then they are an implicit transaction,
    ///   which PostgreSQL ends after them. Another one continues the read, unless the database has changed.
    func begin(isImplicit: Bool = false) throws {
        guard phase == .notBegun || phase == .ended else { return }
        self.isImplicit =
            isImplicit && phase == .notBegun && write == nil && starter.hasImplicitTransactions(on: connection)
        phase = .begun
        try starter.enqueueBeginning(of: self, isImplicit: self.isImplicit)
        try checkAssumptions()
        lastRelease = connection.sentCount
    }

    /// The assumptions of a write that has not begun: the state after the last write.
    var startOfAssumptions: Assumptions? {
        guard phase == .notBegun, write?.mayAssume == true, let last = starter.lastWrites.assumable(in: database) else {
            return nil
        }
        return last.row.id == number?.id ? Assumptions(last: last) : nil
    }

    /// Begins to assume the state after the last write.
    func assume(_ start: Assumptions) {
        starter.lastWrites.beginAssuming(in: database)
        assumptions = start
        row = start.last.row
        catalog = start.last.catalog
        zones = start.last.zones
        write?.known = start.last.entries
        write?.isSoleWriter = true
    }

    /// Prepares changes, which wait for the lock of the database's row.
    func prepareChanges() async throws {
        if assumptions != nil, phase == .notBegun {
            try starter.enqueueAssumedBeginning(of: self)
            phase = .settled
        }
        try await ensureSnapshot()
        try checkAssumptions()
    }

    /// Handles the database's row in the server's answer.
    ///
    /// - Throws: ``StaleSnapshot`` if the snapshot includes a write that began after the read, or if the cached number or row is
    ///   stale.
    func take(_ found: DatabaseRow?) throws {
        if found == nil, number?.isCached == true {
            schemaCache.expect(nil, in: database)
            throw StaleSnapshot()
        }
        if let speculativeRow {
            guard let found, found.isAlike(speculativeRow), firstWrites.map({ $0 == found.writes }) ?? true else {
                schemaCache.expect(found, in: database)
                throw StaleSnapshot()
            }
            isConfirmed = true
        }
        if let last = assumptions?.last.row, found?.isSame(as: last) != true { throw StaleSnapshot() }
        if let found, write != nil, assumptions == nil { rememberEntries(of: found) }
        row = found
        if let found, !start.allows(found.writes) { throw StaleSnapshot() }
    }

    /// Starts with the entries that are known if this process was the last one to write.
    private func rememberEntries(of found: DatabaseRow) {
        let isLastWriter = starter.isLastWriter(of: found)
        starter.lastWrites.recordRead(isLastWriter: isLastWriter, in: database)
        write?.isSoleWriter = isLastWriter
        if let last = starter.lastWrites[database], found.isSame(as: last.row) { write?.known = last.entries }
    }

    /// Waits for the answers to all sent statements, including the database's row.
    ///
    /// If a write finds no row of its database, it adds one.
    func awaitSnapshot() async throws {
        try begin()
        try await connection.answers()
        settleIfConfirmed()
        if hasSnapshot { return }
        if row == nil, write != nil {
            try starter.enqueueAddition(of: self)
            try await connection.answers()
            guard let row else { throw PostgresFailure.damaged("cabinet_state has another database's row") }
            // Another process added the row first, so the values that this transaction has read are stale.
            if row.writes > 0 { throw StaleSnapshot() }
        }
        if let row {
            if let known = schemaCache.cached(row.schema) {
                catalog = known
            } else {
                try await connection.blocking {
                    try preloadCatalog(row.schema)
                    catalog = try schemaCache.catalog(row.schema, on: connection)
                }
            }
            schemaCache.expect(row, in: database)
            zones = schemaCache.zones(of: row.id, through: row.lastZone)
        }
        settle()
    }

    private func settle() {
        phase = .settled
        guard isImplicit, let row else { return }
        phase = .ended
        isConfirmed = false
        speculativeRow = row
        firstWrites = row.writes
    }

    /// Loads a new schema outside of the transaction, if the snapshot may lack it.
    ///
    /// On Citus, the worker takes its snapshot after the coordinator, and so may have a later state.
    ///
    /// - Throws: ``StaleSnapshot``, because the transaction has ended.
    private func preloadCatalog(_ id: Int64) throws {
        guard write == nil, schemaCache.isDistributed else { return }
        try connection.rollback()
        _ = try schemaCache.catalog(id, on: connection)
        throw StaleSnapshot()
    }

    /// Waits for the database's row and schema, unless they have been read.
    func ensureSnapshot() async throws {
        settleIfConfirmed()
        if !hasSnapshot { try await awaitSnapshot() }
    }

    /// Ends the speculation of a read whose answers have confirmed it.
    func settleIfConfirmed() {
        // Do not wait for statements that were sent after the row was confirmed.
        if isConfirmed { settle() }
    }

    /// Whether the schema and the zones come from the cache and are not confirmed yet.
    var isSpeculative: Bool { speculativeRow != nil && !hasSnapshot }

    /// Begins a read with the cached schema and zones, without a round trip.
    ///
    /// The first statements of the transaction confirm them. If another process has changed them, the read runs again.
    ///
    /// - Returns: Whether the cache has them.
    func speculate() -> Bool {
        guard write == nil, phase == .notBegun else { return isSpeculative }
        if speculativeRow != nil { return true }
        guard let expected = schemaCache.expectation(of: database) else { return false }
        speculativeRow = expected.row
        row = expected.row
        // Only writes read the origin.
        row?.origin = nil
        catalog = expected.catalog
        zones = expected.zones
        return true
    }

    /// Waits for the database's row and schema unless the read speculates about them.
    func prepareReading() async throws {
        if !isSpeculative { try await ensureSnapshot() }
        try await prepareZones()
    }

}

extension TransactionContext {
    /// A copy of the context's state, taken before a savepoint.
    struct State {
        fileprivate let row: DatabaseRow?
        fileprivate let catalog: Catalog
        fileprivate let zones: ZoneTable
        fileprivate let write: WriteState?
    }

    /// The current state.
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
    func setSavepoint() throws {
        try connection.enqueue("SAVEPOINT \(Self.savepoint)")
        hasSavepoint = true
    }

    /// Ends a read, without waiting for the answer.
    func endReading() async throws {
        // Read the remaining answers, so that the next transaction does not mistake them for its own.
        if phase == .begun { try? await connection.answers() }
        guard !connection.isBroken, connection.isInTransaction else { return }
        // Citus needs some milliseconds to roll back a transaction with a savepoint, and none to commit it.
        try connection.enqueue(Connection.endOfRead)
        try connection.push()
    }

    /// Releases the table locks of a read and keeps its snapshot, without waiting for the answer.
    ///
    /// Otherwise, a column could be added to a table only after all reads that have used it have ended. One of them may be
    /// waiting for the very write that adds the column.
    func releaseLocks() throws {
        guard hasSavepoint, connection.sentCount != lastRelease else { return }
        defer { lastRelease = connection.sentCount }
        try connection.enqueue("ROLLBACK TO SAVEPOINT \(Self.savepoint)")
        try connection.push()
    }
}
