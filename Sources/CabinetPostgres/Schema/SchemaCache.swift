import Cabinet
import Synchronization
import SQLSupport

/// What a backend knows of the schema's tables, and of the schemas that databases have.
///
/// Rows of `cabinet_schema` never change and tables only grow, so that what is known is true for every transaction.
final class SchemaCache: Sendable {
    private struct State {
        var physical = PhysicalTables()
        var catalogs: [Int64: Catalog] = [:]
        var zones: [Int64: ZoneTable] = [:]
        /// The number of zones in all tables.
        var zoneCount = 0
        /// The rows that databases had last.
        var rows: [DatabaseKey: DatabaseRow] = [:]
        /// The number of the schema that a database had last.
        var lastSchema: Int64 = 0
        /// The number of records that this process has inserted, by type.
        var insertedCounts: [Record.RecordType: Int] = [:]
    }

    let schema: SchemaName
    private let state = Mutex(State())

    /// The most schemas to remember; nearly all private databases have the same.
    static let catalogLimit = 1000
    /// The most databases whose rows to remember.
    static let databaseLimit = 10_000
    /// The most databases whose zones to remember.
    static let zoneLimit = 10_000
    /// The largest number of zones to remember, of all databases together, unless one database has more.
    static let totalZoneLimit = 100_000

    init(schema: SchemaName) {
        self.schema = schema
    }

    /// Forgets everything: the connection is to another server, or to one that was started again, where an older copy may have been put
    /// back.
    func forgetAll() { state.withLock { $0 = State() } }

    /// The tables that are known.
    var physical: PhysicalTables { state.withLock(\.physical) }

    /// Reads which tables there are now.
    func refreshPhysical(from connection: Connection) throws -> PhysicalTables {
        let found = try PhysicalTables(loadingFrom: connection, schema: schema)
        state.withLock { $0.physical = found }
        return found
    }

    /// The schema that a database had last, or that another one had, if this one was not seen: nearly all have the same.
    ///
    /// The statements of a first load are built for it. If the database has another schema, they are built once more.
    func expectedCatalog(of database: DatabaseKey) -> Catalog {
        state.withLock { $0.catalogs[$0.rows[database]?.schema ?? $0.lastSchema] } ?? .empty
    }

    /// The row, the schema and the zones that a database had last; `nil` if one of them is not in the cache.
    func expectation(of database: DatabaseKey) -> (row: DatabaseRow, catalog: Catalog, zones: ZoneTable)? {
        state.withLock { state in
            guard let row = state.rows[database] else { return nil }
            let zones = state.zones[row.id] ?? ZoneTable()
            guard let catalog = row.schema == 0 ? .empty : state.catalogs[row.schema], zones.lastID >= row.lastZone
            else { return nil }
            return (row, catalog, zones)
        }
    }

    /// Remembers the row that a database has, or that it has none.
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

    /// The schema with a number, and its tables.
    func catalog(_ id: Int64, on connection: Connection) throws -> Catalog {
        if id == 0 { return .empty }
        if let known = state.withLock({ $0.catalogs[id] }) { return known }
        let found = try connection.query(
            "SELECT content FROM \(schema.quoted).cabinet_schema WHERE id = $1", [.integer(id)])
        guard let content = found.first?.text(0), let stored = StoredSchema(content: content) else {
            throw PostgresFailure.damaged("cabinet_schema has no row \(id), or one that is no schema")
        }
        let physical = self.physical
        let catalog =
            try physical.catalog(id: id, of: stored, in: schema.quoted)
            ?? refreshPhysical(from: connection).catalog(id: id, of: stored, in: schema.quoted)
        guard let catalog else {
            throw PostgresFailure.damaged("cabinet_record_type or cabinet_column lacks what schema \(id) has")
        }
        offer(catalog)
        return catalog
    }

    /// Remembers a catalog whose row was committed.
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
    /// - Returns: The record types of which this process has now inserted ``analyzedCount`` records.
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

    /// The zones of a database, as far as they are known.
    func zones(of database: Int64) -> ZoneTable {
        state.withLock { $0.zones[database] ?? ZoneTable() }
    }

    /// Remembers zones of a database that were committed.
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
