import Cabinet
import Synchronization

/// Begins and ends transactions on a connection.
final class TransactionStarter: Sendable {
    let catalogs: SchemaCache
    private let configuration: PostgresConfiguration
    /// Whether the container's tables exist; they are never dropped.
    private let isLayoutKnown = Atomic<Bool>(false)

    /// The ``Connection/origin`` of the last used connection.
    private let origin = Mutex("")

    /// The ID that this backend's marks have.
    private let writer = Int64.random(in: .min ... .max)

    init(schema: SchemaName, configuration: PostgresConfiguration) {
        catalogs = SchemaCache(schema: schema)
        directory = DatabaseDirectory(schema: schema)
        table = "\(schema.quoted).cabinet_state"
        reading = "SELECT \(DatabaseRow.columns) FROM \(table) WHERE database = $1 AND name = $2"
        self.configuration = configuration
    }

    private let directory: DatabaseDirectory
    private let table: String

    /// The first statement of a read.
    private let reading: String

    /// The first statement of a write, which waits for the lock of the database's row.
    private var locking: String {
        let columns = DatabaseRow.columnsToWrite(server: "$3::text", isDistributed: catalogs.isDistributed)
        return "SELECT \(columns) FROM \(table) WHERE database = $1 AND name = $2 FOR UPDATE"
    }

    /// Returns the name under which reads and writes of a database, by any backend, refer to it.
    func name(of database: DatabaseKey) -> ActiveSnapshots.DatabaseName {
        ActiveSnapshots.DatabaseName(schema: catalogs.schema.quoted, database: database)
    }

    /// Returns the context of a read, which begins with its first call.
    ///
    /// The statement that reads the database's row takes the snapshot.
    ///
    /// - Parameter isEager: Whether to take the snapshot at once.
    func reading(
        _ database: DatabaseKey, on connection: Connection, isEager: Bool = false
    ) async throws -> TransactionContext {
        let hasTables = try hasLayout(on: connection)
        let number = hasTables ? try number(of: database, on: connection) : nil
        let view = TransactionContext(of: database, number, in: self, on: connection)
        if isEager { try await view.awaitSnapshot() }
        return view
    }

    /// Returns the context of a write, which begins with its first call.
    ///
    /// It begins with the lock of the database's row. Every statement sees the state committed before it began (`READ
    /// COMMITTED`). A write reads and changes only its database, and other writes do not change that without the lock. So
    /// writes of one database are serialized, and sequence numbers are in the order of commits.
    ///
    /// `SERIALIZABLE` would guarantee that for all databases together. But it tracks pages of indexes, which databases share,
    /// so writers of different databases would make each other fail. Its snapshot is also taken before the wait for the lock,
    /// so one of two writers of a database would always fail.
    func writing(_ database: DatabaseKey, on connection: Connection) throws -> TransactionContext {
        if try !hasLayout(on: connection) {
            try connection.createLayout(in: catalogs.schema, timeLimit: configuration.busyTimeout)
            _ = try hasLayout(on: connection)
        }
        let number =
            try number(of: database, on: connection)
            ?? DatabaseNumber(id: directory.add(database, on: connection), isCached: false)
        return TransactionContext(of: database, number, in: self, on: connection, write: WriteState())
    }

    /// Returns a database's number; `nil` if the database was never written.
    private func number(of database: DatabaseKey, on connection: Connection) throws -> DatabaseNumber? {
        if let known = catalogs.number(of: database) { return DatabaseNumber(id: known, isCached: true) }
        return try directory.number(of: database, on: connection).map { DatabaseNumber(id: $0, isCached: false) }
    }

    /// Returns whether statements that are sent together are an implicit transaction with one snapshot.
    ///
    /// On Citus, each of them would be a transaction. A pooler would not apply the settings.
    func hasImplicitTransactions(on connection: Connection) -> Bool { !connection.isPooled && !catalogs.isDistributed }

    /// Enqueues the statements that begin a transaction and read the database's row.
    ///
    /// - Parameter isImplicit: Whether the transaction is implicit, and ends with the answers.
    func enqueueBeginning(of view: TransactionContext, isImplicit: Bool) throws {
        if isImplicit { return try enqueueReading(of: view) }
        let isolation = view.write == nil ? "REPEATABLE READ READ ONLY" : "READ COMMITTED"
        try view.connection.begin(isolation)
        // Citus sends a savepoint that precedes all other statements together with the beginning.
        if view.write == nil { try view.setSavepoint() }
        try enqueueReading(of: view)
    }

    private func enqueueReading(of view: TransactionContext) throws {
        guard let id = view.number?.id else { return }
        let (statement, server) = view.write == nil ? (reading, []) : (locking, [SQLValue.text(view.connection.origin)])
        try view.connection.enqueue(statement, [.integer(id), .text(view.storedName)] + server) { result in
            try view.take(result.first.map { try DatabaseRow($0, id: id) })
        }
    }

    /// Enqueues the statements that add the database's row, and read it.
    func enqueueAddition(of view: TransactionContext) throws {
        guard let id = view.number?.id else { return }
        try view.connection.enqueue(
            """
            INSERT INTO \(table) (database, name, schema, "lastZone", "hasDeletions", writes, writers) \
            VALUES ($1, $2, 0, \(Layout.defaultZone), false, 0, '{}') ON CONFLICT (database) DO NOTHING
            """, [.integer(id), .text(view.storedName)])
        try view.connection.enqueue(
            """
            INSERT INTO \(catalogs.schema.quoted).cabinet_zone (database, zone, "zoneName", "ownerName") \
            VALUES ($1, \(Layout.defaultZone), $2, $3) ON CONFLICT (database, zone) DO NOTHING
            """,
            [
                .integer(id), .text(RecordZone.ID.default.zoneName), .text(RecordZone.ID.default.ownerName),
            ])
        try enqueueReading(of: view)
    }

    /// Enqueues the last statements before the commit.
    ///
    /// - Returns: The mark that shows whether the write was committed, in case the answer is lost.
    func prepareCommit(of view: TransactionContext) throws -> CommitMark {
        try view.writeSchema()
        // On Citus, a statement that changes two tables is run in several parts.
        if catalogs.isDistributed { try view.writeEntries() }
        let entries = try view.takeEntries(firstParameter: 7)
        guard var row = view.row else { throw PostgresFailure.damaged("cabinet_state has lost a row") }
        let mark = CommitMark(number: row.writes + 1, writer: writer)
        row.writes = mark.number
        row.marks.add(mark)
        view.row = row
        try view.connection.enqueue(
            """
            \(entries.map { "WITH entries AS (\($0.sql)) " } ?? "")UPDATE \(table) \
            SET schema = $2, "lastZone" = $3, "hasDeletions" = $4, writes = $5, writers = $6 WHERE database = $1
            """,
            [
                .integer(row.id), .integer(row.schema), .integer(row.lastZone), .boolean(row.hasDeletions),
                .integer(row.writes), .integers(row.marks.stored),
            ] + (entries?.parameters ?? [])
        ) { result in
            guard result.affectedCount == 1 else { throw PostgresFailure.damaged("cabinet_state has lost a row") }
        }
        return mark
    }

    /// Commits, in the same round trip as what was sent before.
    ///
    /// - Returns: Whether all synchronous standbys have confirmed the commit.
    func commit(_ view: TransactionContext) async throws -> Bool {
        let isConfirmed = try await view.connection.committed()
        catalogs.offer(view.catalog)
        if let row = view.row {
            catalogs.offer(view.zones, of: row.id)
            catalogs.expect(row, in: view.database)
        }
        return isConfirmed
    }

    /// Returns whether a write was committed whose answer was lost, after waiting for the end of its transaction.
    ///
    /// - Returns: `nil` if later writers have displaced the mark.
    func isCommitted(_ mark: CommitMark, _ database: DatabaseKey, on connection: Connection) async throws -> Bool? {
        let view = try writing(database, on: connection)
        defer { try? connection.rollback() }
        try await view.awaitSnapshot()
        let known = view.row.map { $0.marks.contains(mark) } ?? false
        guard known == true else { return known }
        // Standbys confirm commits in their order, so this later commit is confirmed after the write's. It is not spelled
        // `COMMIT`, so that tests can cut only the commits of writes.
        guard try await connection.committed(with: "END") else { throw PostgresFailure.unconfirmed }
        return true
    }

    /// Returns the databases that were written.
    func databases(on connection: Connection) throws -> [DatabaseKey] {
        guard try hasLayout(on: connection) else { return [] }
        let found = try connection.query("SELECT name FROM \(table) WHERE writes > 0")
        return try found.rows.map { row in
            guard let key = row.text(0).flatMap(DatabaseKey.init(storedName:)) else {
                throw PostgresFailure.damaged("cabinet_state has a row without a name")
            }
            return key
        }
    }

    /// Returns whether the container's tables exist.
    private func hasLayout(on connection: Connection) throws -> Bool {
        forgetCaches(unlessFrom: connection.origin)
        if isLayoutKnown.load(ordering: .acquiring) { return true }
        guard let isDistributed = try connection.isLayoutDistributed(in: catalogs.schema) else { return false }
        catalogs.isDistributed = isDistributed
        isLayoutKnown.store(true, ordering: .releasing)
        return true
    }
}

extension TransactionStarter {
    /// Empties the caches if they were filled from another server, or before this one was started.
    private func forgetCaches(unlessFrom current: String) {
        let isOther = origin.withLock { origin in
            if origin == current { return false }
            defer { origin = current }
            return !origin.isEmpty
        }
        guard isOther else { return }
        catalogs.forgetAll()
        isLayoutKnown.store(false, ordering: .relaxed)
    }
}
