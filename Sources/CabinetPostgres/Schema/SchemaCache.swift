import Cabinet
import Synchronization
import SQLSupport

/// A backend's cache of tables, and of the schemas, zones and rows of databases.
///
/// Rows of `cabinet_schema` never change and tables only grow, so cached ones are valid in every transaction.
final class SchemaCache: Sendable {
    private struct State {
        var physical = PhysicalTables()
        var catalogs: [Int64: Catalog] = [:]
        var zones: [Int64: ZoneTable] = [:]
        /// The number of cached zones of all databases.
        var zoneCount = 0
        /// The last known rows of databases.
        var rows: [DatabaseKey: DatabaseRow] = [:]
        /// The number of the last known schema of any database.
        var lastSchema: Int64 = 0
        /// The last failure of upkeep after a commit.
        var upkeepFailure: (any Error)?
        /// The number of records that this process has inserted, by type.
        var insertedCounts: [Record.RecordType: Int] = [:]
    }

    let schema: SchemaName
    private let state = Mutex(State())
    /// An atomic value, because every transaction reads it several times, and they all share the lock.
    private let distributes = Atomic(false)
    private let ranksWords = Atomic(false)

    /// The limit of cached schemas; nearly all private databases have the same one.
    static let catalogLimit = 1000
    /// The limit of databases with cached rows.
    static let databaseLimit = 10_000
    /// The limit of databases with cached zones.
    static let zoneLimit = 10_000
    /// The limit of cached zones of all databases together, unless one database has more.
    static let totalZoneLimit = 100_000

    init(schema: SchemaName) {
        self.schema = schema
    }

    /// Empties the cache, because the connection is to another server, or to a restarted one, where an older copy may have been
    /// restored.
    func forgetAll() {
        state.withLock { $0 = State() }
        isDistributed = false
        hasRankedWords = false
    }

    /// The cached tables.
    var physical: PhysicalTables { state.withLock(\.physical) }

    /// Loads the tables again, and returns them.
    func refreshPhysical(from connection: Connection) throws -> PhysicalTables {
        let found = try PhysicalTables(loadingFrom: connection, schema: schema)
        state.withLock { $0.physical = found }
        return found
    }

    /// Returns the last known schema of a database, or else that of another one, because nearly all databases have the same.
    ///
    /// The statements of a first load are built for it. If the database has another schema, they are built again.
    func expectedCatalog(of database: DatabaseKey) -> Catalog {
        state.withLock { $0.catalogs[$0.rows[database]?.schema ?? $0.lastSchema] } ?? .empty
    }

    /// Whether words have positions, because the tables have the current layout.
    var hasRankedWords: Bool {
        get { ranksWords.load(ordering: .relaxed) }
        set { ranksWords.store(newValue, ordering: .relaxed) }
    }

    /// Whether Citus distributes the tables by the number of the database.
    var isDistributed: Bool {
        get { distributes.load(ordering: .relaxed) }
        set { distributes.store(newValue, ordering: .relaxed) }
    }

    /// Returns the number of a database that this process has read.
    func number(of database: DatabaseKey) -> Int64? { state.withLock { $0.rows[database]?.id } }

    /// Returns a schema and its tables; `nil` if they are not in the cache.
    func cached(_ id: Int64) -> Catalog? { id == 0 ? .empty : state.withLock { $0.catalogs[id] } }

    /// The last failure of upkeep after a commit, which cannot fail the committed write; for tests.
    var upkeepFailure: (any Error)? {
        get { state.withLock(\.upkeepFailure) }
        set { state.withLock { $0.upkeepFailure = newValue } }
    }

    /// Returns the cached row, schema and zones of a database; `nil` if one of them is not in the cache.
    func expectation(of database: DatabaseKey) -> (row: DatabaseRow, catalog: Catalog, zones: ZoneTable)? {
        state.withLock { state in
            guard let row = state.rows[database] else { return nil }
            let zones = state.zones[row.id] ?? ZoneTable()
            guard let catalog = row.schema == 0 ? .empty : state.catalogs[row.schema], zones.lastID == row.lastZone
            else { return nil }
            return (row, catalog, zones)
        }
    }

    /// Caches the row of a database, or that it has none.
    func expect(_ row: DatabaseRow?, in database: DatabaseKey) {
        state.withLock { state in
            guard let row else {
                state.rows[database] = nil
                return
            }
            if row.schema != 0 { state.lastSchema = row.schema }
            if state.rows[database]?.isAlike(row) == true { return }
            if state.rows.count >= Self.databaseLimit { state.rows = [:] }
            state.rows[database] = row
        }
    }

    /// Returns the schema with a number, and its tables.
    func catalog(_ id: Int64, on connection: Connection) throws -> Catalog {
        if let known = cached(id) { return known }
        let found = try connection.query(
            "SELECT content FROM \(schema.quoted).cabinet_schema WHERE id = $1", [.integer(id)])
        guard let content = found.first?.text(0), let stored = DatabaseSchema(content: content) else {
            throw PostgresFailure.damaged("row \(id) of cabinet_schema is missing, or does not hold a schema")
        }
        let physical = self.physical
        let catalog =
            try physical.catalog(id: id, of: stored, in: schema.quoted)
            ?? refreshPhysical(from: connection).catalog(id: id, of: stored, in: schema.quoted)
        guard let catalog else {
            throw PostgresFailure.damaged(
                "cabinet_record_type or cabinet_column lacks a table or column of schema \(id)")
        }
        offer(catalog)
        return catalog
    }

    /// Caches a catalog whose row was committed.
    func offer(_ catalog: Catalog) {
        guard catalog.id != 0 else { return }
        state.withLock { state in
            if state.catalogs.count >= Self.catalogLimit { state.catalogs = [:] }
            state.catalogs[catalog.id] = catalog
        }
    }

    /// The number of records after which the statistics of a new table are collected.
    static let analyzedCount = 1000

    /// Counts committed insertions.
    ///
    /// - Returns: The record types whose ``analyzedCount``th record this process has now inserted.
    func addInsertions(_ counts: [Record.RecordType: Int]) -> [Record.RecordType] {
        if counts.isEmpty { return [] }
        return state.withLock { state in
            counts.keys.filter { recordType in
                let before = state.insertedCounts[recordType] ?? 0
                if before >= Self.analyzedCount { return false }
                let after = before + (counts[recordType] ?? 0)
                state.insertedCounts[recordType] = after
                return after >= Self.analyzedCount
            }
        }
    }

    /// The numbers of cached values by kind, for tests.
    var counts: (catalogs: Int, zones: Int, rows: Int) {
        state.withLock { state in
            (state.catalogs.count, state.zones.values.reduce(0) { $0 + $1.count }, state.rows.count)
        }
    }

    /// Returns the cached zones of a database, unless a transaction does not see their last changes.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - lastZone: The highest number that the transaction sees.
    func zones(of database: Int64, through lastZone: Int64) -> ZoneTable {
        guard let known = state.withLock({ $0.zones[database] }), known.lastID <= lastZone else { return ZoneTable() }
        return known
    }

    /// Caches committed zones of a database.
    func offer(_ zones: ZoneTable, of database: Int64) {
        if zones.lastID == Layout.defaultZone { return }
        state.withLock { state in
            let known = state.zones[database]
            guard zones.lastID >= known?.lastID ?? 0 else { return }
            var count = state.zoneCount - (known?.count ?? 0)
            if state.zones.count >= Self.zoneLimit || count + zones.count > Self.totalZoneLimit {
                state.zones = [:]
                count = 0
            }
            state.zones[database] = zones
            state.zoneCount = count + zones.count
        }
    }
}
