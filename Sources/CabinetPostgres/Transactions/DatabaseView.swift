import Cabinet
import Foundation
import SQLSupport

/// What a transaction took for granted is not so: it is begun again, and asks first.
///
/// Another process has changed the database's schema or added a zone, or a read's snapshot holds a write that began after the read.
struct WrongGuess: Error {}

/// One database as a transaction sees it: its schema, its zones, and the connection to ask.
///
/// It is used by one caller at a time; ``Session`` sees to that. Its calls block, on the connection's own thread.
final class DatabaseView {
    let connection: Connection
    /// What is known of tables and schemas.
    let catalogs: CatalogStore
    /// The writes that must not be in the snapshot, while the server's answer is awaited.
    let start = ReadStart()
    /// The database's row, as it is in this transaction; `nil` if the database was never written.
    var row: DatabaseRow?
    /// The record types that the database has, and their tables.
    var catalog: Catalog
    /// The zones that are known; ``refreshZones()`` gets the others.
    private(set) var zones: ZoneTable
    /// Whether the tables are of a layout that has timelines.
    var hasTimelines = true
    /// What is known of the write under way; `nil` in a read.
    var write: WriteState?
    /// Whether row, catalog and zones are those of the last transaction that this process has seen, and the server's answer, which was
    /// asked for, is still to come.
    private(set) var isGuessed = false
    /// Whether the transaction has a savepoint to which a read goes back.
    private(set) var hasSavepoint = false
    /// How many statements were sent when a read went back to it last.
    private var lastRelease = 0

    init(
        connection: Connection, catalogs: CatalogStore, row: DatabaseRow?, catalog: Catalog,
        zones: ZoneTable = ZoneTable()
    ) {
        self.connection = connection
        self.catalogs = catalogs
        self.row = row
        self.catalog = catalog
        self.zones = zones
    }

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
    ///   - isPrepared: Whether to keep the statement prepared; say no to one that hardly comes again.
    func query(_ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true) throws -> QueryResult {
        try connection.query(sql, parameters, isPrepared: isPrepared)
    }

    /// Hands on the rows of a statement one by one, fetching them some at a time, until told to stop.
    ///
    /// The body may run other statements.
    ///
    /// - Parameter body: What to do with a row; returns whether to go on.
    func forEachRow(of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool) throws {
        try connection.forEachRow(of: sql, parameters, body)
    }
}

extension DatabaseView {
    /// What is known of a database at some point of a transaction.
    struct State {
        fileprivate let row: DatabaseRow?
        fileprivate let catalog: Catalog
        fileprivate let zones: ZoneTable
        fileprivate let write: WriteState?
    }

    /// What is known now.
    var state: State { State(row: row, catalog: catalog, zones: zones, write: write) }

    /// Goes back to what was known before something was undone.
    func restore(_ state: State) {
        row = state.row
        catalog = state.catalog
        zones = state.zones
        write = state.write
    }

    /// Notes what the transaction has found first.
    func begin(_ row: DatabaseRow, _ catalog: Catalog, _ zones: ZoneTable) {
        self.row = row
        self.catalog = catalog
        self.zones = zones
    }

    /// Takes for granted, until the answer comes, that the database is as it was last.
    func guess(_ row: DatabaseRow, _ catalog: Catalog, _ zones: ZoneTable) {
        begin(row, catalog, zones)
        isGuessed = true
    }

    /// Takes the server's answer to what the database is.
    ///
    /// - Throws: ``WrongGuess`` if what was taken for granted is not so.
    func take(_ found: DatabaseRow?) throws {
        defer { isGuessed = false }
        if isGuessed {
            guard let row, let found, found.agrees(with: row), start.allows(found.writes) else { throw WrongGuess() }
        }
        row = found
    }

    /// Waits for the server's answer to what the database is.
    ///
    /// - Throws: ``WrongGuess``, or what the transaction's beginning has failed of.
    func settle() throws {
        if isGuessed { try connection.flush() }
    }

    private static let savepoint = "cabinet"

    /// Sets the savepoint of a read; it is sent with what comes next.
    func setSavepoint() throws {
        try connection.enqueue("SAVEPOINT \(Self.savepoint)")
        hasSavepoint = true
        lastRelease = connection.sentCount
    }

    /// Ends a read; nobody waits for the answer.
    func endReading() throws {
        guard !connection.isBroken, connection.isInTransaction else { return }
        try connection.enqueue("ROLLBACK")
        try connection.push()
    }

    /// Gives up the locks on tables that a read has taken, and keeps its snapshot.
    ///
    /// Otherwise, a column could be added to a table only when all reads have ended that have looked into it, and one of them may
    /// be waiting for the very write that adds it. Nobody waits for the answer.
    func releaseLocks() throws {
        guard hasSavepoint, connection.sentCount != lastRelease else { return }
        defer { lastRelease = connection.sentCount }
        try connection.enqueue("ROLLBACK TO SAVEPOINT \(Self.savepoint)")
        try connection.push()
    }
}

// MARK: - Zones

extension DatabaseView {
    /// The number of a zone, or `nil` if no record ever was in it.
    func number(of zoneID: RecordZone.ID) throws -> Int64? {
        if let id = zones[zoneID] { return id }
        try refreshZones()
        return zones[zoneID]
    }

    /// The zone with a number.
    func zone(_ id: Int64) throws -> RecordZone.ID? {
        if let zone = zones[id] { return zone }
        try refreshZones()
        return zones[id]
    }

    /// Whether all zones are known.
    var knowsAllZones: Bool { zones.lastID >= row?.lastZone ?? 0 }

    /// Reads the zones that are not known yet; a round trip only if there are some.
    func refreshZones() throws {
        guard let row, !knowsAllZones else { return }
        let found = try query(
            """
            SELECT zone, "zoneName", "ownerName" FROM \(name("cabinet_zone")) WHERE database = $1 AND zone > $2 \
            ORDER BY zone
            """, [.integer(row.id), .integer(zones.lastID)])
        for row in found.rows {
            guard let id = row.integer(0), let zoneName = row.text(1), let ownerName = row.text(2) else {
                throw PostgresFailure.damaged("cabinet_zone has a row without a name")
            }
            zones.insert(
                RecordZone.ID(
                    zoneName: StoredText.decoded(zoneName), ownerName: StoredText.decoded(ownerName)), id: id)
        }
    }

    /// Notes a zone that was added.
    func note(_ zoneID: RecordZone.ID, id: Int64) {
        zones.insert(zoneID, id: id)
        row?.lastZone = zones.lastID
    }
}
