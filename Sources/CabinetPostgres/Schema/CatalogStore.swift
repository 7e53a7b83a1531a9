import Cabinet
import Synchronization
import SQLSupport

/// What a backend knows of the schema's tables, and of the schemas that databases have.
///
/// Rows of `cabinet_schema` never change and tables only grow, so that what is known is true for every transaction.
final class CatalogStore: Sendable {
    private struct State {
        var physical = PhysicalTables()
        var catalogs: [Int64: Catalog] = [:]
        var zones: [Int64: ZoneTable] = [:]
        /// The number of zones in all tables.
        var zoneCount = 0
        var lastTypes: [Int64: Record.RecordType] = [:]
        var markedDatabases: Set<Int64> = []
    }

    let schema: SchemaName
    private let state = Mutex(State())

    /// The most schemas to remember; nearly all private databases have the same.
    static let catalogLimit = 1000
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

    /// The schema with a number, and its tables, if they are known.
    func knownCatalog(_ id: Int64) -> Catalog? {
        id == 0 ? .empty : state.withLock { $0.catalogs[id] }
    }

    /// The schema with a number, and its tables.
    func catalog(_ id: Int64, on connection: Connection) throws -> Catalog {
        if let known = knownCatalog(id) { return known }
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

    /// The type of the record that was fetched last by its ID from a database.
    func lastType(in database: Int64) -> Record.RecordType? { state.withLock { $0.lastTypes[database] } }

    /// Remembers the type of a record that was fetched by its ID.
    func note(lastType: Record.RecordType, in database: Int64) {
        state.withLock { state in
            if state.lastTypes[database] == lastType { return }
            if state.lastTypes.count >= Self.zoneLimit { state.lastTypes = [:] }
            state.lastTypes[database] = lastType
        }
    }

    /// Whether a database is known to have a row for its default zone, which stays for ever.
    func hasDefaultZone(_ database: Int64) -> Bool { state.withLock { $0.markedDatabases.contains(database) } }

    /// Remembers that a database has a row for its default zone, which was committed.
    func noteDefaultZone(of database: Int64) {
        state.withLock { state in
            if state.markedDatabases.count >= Self.zoneLimit { state.markedDatabases = [] }
            state.markedDatabases.insert(database)
        }
    }

    /// The numbers of cached values by kind, for tests.
    var counts: (catalogs: Int, zones: Int, lastTypes: Int, markedDatabases: Int) {
        state.withLock { state in
            (
                state.catalogs.count, state.zones.values.reduce(0) { $0 + $1.count }, state.lastTypes.count,
                state.markedDatabases.count
            )
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
