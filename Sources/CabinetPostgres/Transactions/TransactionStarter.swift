import Cabinet
import Synchronization

/// Begins and ends transactions on a connection.
final class TransactionStarter: Sendable {
    let schemaCache: SchemaCache
    let lastWrites = LastWrites()
    private let configuration: PostgresConfiguration
    /// Whether the container's tables exist; they are never dropped.
    private let isLayoutKnown = Atomic<Bool>(false)

    /// The ``Connection/origin`` of the last used connection.
    private let origin = Mutex("")

    /// The ID that this backend's marks have.
    private let writer = Int64.random(in: .min ... .max)

    init(schema: SchemaName, configuration: PostgresConfiguration) {
        schemaCache = SchemaCache(schema: schema)
        directory = DatabaseDirectory(schema: schema)
        table = "\(schema.quoted).cabinet_state"
        reading = "SELECT \(DatabaseRow.columns) FROM \(table) WHERE database = $1 AND name = $2"
        assuming = """
            WITH held AS (SELECT \(DatabaseRow.columnsToWrite(server: "$3::text", isDistributed: false)) AS origin \
            FROM \(table) WHERE database = $1 AND name = $2 FOR UPDATE) \
            SELECT set_config('\(Connection.idleLimitSetting)', $4, true), \
            1 / (SELECT count(*) FROM held WHERE writes = $5 AND origin = $6 AND writers = $7)
            """
        self.configuration = configuration
    }

    private let directory: DatabaseDirectory
    private let table: String

    /// The first statement of a read.
    private let reading: String

    /// The first statement of a write that assumes the database's row, which divides by zero if the row is another one.
    private let assuming: String

    /// The first statement of a write, which waits for the lock of the database's row, and limits the time that it is held.
    private var locking: String {
        var columns = DatabaseRow.columnsToWrite(server: "$3::text", isDistributed: schemaCache.isDistributed)
        if !schemaCache.isDistributed { columns += ", set_config('\(Connection.idleLimitSetting)', $4, true)" }
        return "SELECT \(columns) FROM \(table) WHERE database = $1 AND name = $2 FOR UPDATE"
    }

    /// Returns the name under which reads and writes of a database, by any backend, refer to it.
    func name(of database: DatabaseKey) -> ActiveSnapshots.DatabaseName {
        ActiveSnapshots.DatabaseName(schema: schemaCache.schema.quoted, database: database)
    }

    /// Returns the context of a read, which begins with its first call.
    ///
    /// The statement that reads the database's row takes the snapshot.
    ///
    /// - Parameter isEager: Whether to take the snapshot at once.
    func reading(
        _ database: DatabaseKey, on connection: Connection, isEager: Bool = false
    ) async throws -> TransactionContext {
        forgetCaches(unlessFrom: connection.origin)
        func found() throws -> DatabaseNumber? {
            try hasLayout(on: connection) ? self.number(of: database, on: connection) : nil
        }
        let isCached = isLayoutKnown.load(ordering: .acquiring) && schemaCache.number(of: database) != nil
        let number = isCached ? try found() : try await connection.blocking { try found() }
        let context = TransactionContext(of: database, number, in: self, on: connection)
        if isEager { try await context.awaitSnapshot() }
        return context
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
            try connection.createLayout(in: schemaCache.schema, timeLimit: configuration.busyTimeout)
            _ = try hasLayout(on: connection)
        }
        if !schemaCache.hasRankedWords {
            try connection.upgradeLayout(in: schemaCache.schema, timeLimit: configuration.busyTimeout)
            schemaCache.hasRankedWords = true
        }
        let number =
            try number(of: database, on: connection)
            ?? DatabaseNumber(id: directory.add(database, on: connection), isCached: false)
        return TransactionContext(of: database, number, in: self, on: connection, write: WriteState())
    }

    /// Returns a database's number; `nil` if the database was never written.
    private func number(of database: DatabaseKey, on connection: Connection) throws -> DatabaseNumber? {
        if let known = schemaCache.number(of: database) { return DatabaseNumber(id: known, isCached: true) }
        return try directory.number(of: database, on: connection).map { DatabaseNumber(id: $0, isCached: false) }
    }

    /// Returns whether statements that are sent together are an implicit transaction with one snapshot.
    ///
    /// On Citus, each of them would be a transaction. A pooler would not apply the settings.
    func hasImplicitTransactions(on connection: Connection) -> Bool {
        !connection.isPooled && !schemaCache.isDistributed
    }

    /// Enqueues the statements that begin a transaction and read the database's row.
    ///
    /// - Parameter isImplicit: Whether the transaction is implicit, and ends with the answers.
    func enqueueBeginning(of context: TransactionContext, isImplicit: Bool) throws {
        if isImplicit { return try enqueueReading(of: context) }
        let isolation = context.write == nil ? "REPEATABLE READ READ ONLY" : "READ COMMITTED"
        try context.connection.begin(isolation)
        // Citus sends a savepoint that precedes all other statements together with the beginning.
        if context.write == nil { try context.setSavepoint() }
        // On Citus, the statement that locks the row runs on a worker.
        if context.write != nil, schemaCache.isDistributed { try context.connection.limitIdleTime() }
        try enqueueReading(of: context)
    }

    private func enqueueReading(of context: TransactionContext) throws {
        guard let id = context.number?.id else { return }
        let connection = context.connection
        var parameters: [SQLValue] = [.integer(id), .text(context.storedName)]
        if context.write != nil {
            parameters.append(.text(connection.origin))
            if !schemaCache.isDistributed { parameters.append(.text("\(connection.idleWriteLimit)")) }
        }
        try connection.enqueue(context.write == nil ? reading : locking, parameters) { result in
            try context.take(result.first.map { try DatabaseRow($0, id: id) })
        }
    }

    /// Enqueues the statements that begin a write, lock the database's row, and fail unless it is still that of the last write.
    ///
    /// The row is locked first, as by every write, so that two writes that insert the same record do not wait for each other.
    func enqueueAssumedBeginning(of context: TransactionContext) throws {
        guard let row = context.row else { return }
        let connection = context.connection
        try connection.begin("READ COMMITTED")
        try connection.enqueue(
            assuming,
            [
                .integer(row.id), .text(context.storedName), .text(connection.origin),
                .text("\(connection.idleWriteLimit)"), .integer(row.writes), .text(row.origin ?? ""),
                .integers(row.marks.stored),
            ])
    }

    /// Returns whether this backend has written the database last.
    func isLastWriter(of row: DatabaseRow) -> Bool { row.marks.marks.last.map { $0.writer == writer } ?? true }

    /// Enqueues the statements that add the database's row, and read it.
    func enqueueAddition(of context: TransactionContext) throws {
        guard let id = context.number?.id else { return }
        try context.connection.enqueue(
            """
            INSERT INTO \(table) (database, name, schema, "lastZone", "hasDeletions", writes, writers) \
            VALUES ($1, $2, 0, \(Layout.defaultZone), false, 0, '{}') ON CONFLICT (database) DO NOTHING
            """, [.integer(id), .text(context.storedName)])
        try context.connection.enqueue(
            """
            INSERT INTO \(schemaCache.schema.quoted).cabinet_zone (database, zone, "zoneName", "ownerName") \
            VALUES ($1, \(Layout.defaultZone), $2, $3) ON CONFLICT (database, zone) DO NOTHING
            """,
            [
                .integer(id), .text(RecordZone.ID.default.zoneName), .text(RecordZone.ID.default.ownerName),
            ])
        try enqueueReading(of: context)
    }

    /// Enqueues the last statements before the commit.
    ///
    /// - Returns: The mark that shows whether the write was committed, in case the answer is lost.
    func prepareCommit(of context: TransactionContext) throws -> CommitMark {
        try context.writeSchema()
        // On Citus, a statement that changes two tables is run in several parts.
        if schemaCache.isDistributed { try context.writeEntries() }
        let entries = try context.takeEntries(firstParameter: 7)
        guard var row = context.row else { throw PostgresFailure.damaged("cabinet_state has lost a row") }
        let mark = CommitMark(number: row.writes + 1, writer: writer)
        row.writes = mark.number
        row.marks.add(mark)
        context.row = row
        try context.connection.enqueue(
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
    func commit(_ context: TransactionContext) async throws -> Bool {
        let isConfirmed = try await context.connection.committed()
        schemaCache.offer(context.catalog)
        if let row = context.row {
            schemaCache.offer(context.zones, of: row.id)
            schemaCache.expect(row, in: context.database)
            if let write = context.write, write.isSoleWriter, row.origin != nil, !schemaCache.isDistributed {
                lastWrites.store(
                    LastWrite(row: row, catalog: context.catalog, zones: context.zones, entries: write.known),
                    of: context.database)
            }
        }
        return isConfirmed
    }

    /// Returns whether a write was committed whose answer was lost, after waiting for the end of its transaction.
    ///
    /// - Returns: `nil` if later writers have displaced the mark.
    func isCommitted(_ mark: CommitMark, _ database: DatabaseKey, on connection: Connection) async throws -> Bool? {
        let context = try writing(database, on: connection)
        defer { try? connection.rollback() }
        try await context.awaitSnapshot()
        let known = context.row.map { $0.marks.contains(mark) } ?? false
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
    func hasLayout(on connection: Connection) throws -> Bool {
        forgetCaches(unlessFrom: connection.origin)
        if isLayoutKnown.load(ordering: .acquiring) { return true }
        guard let layout = try connection.layout(in: schemaCache.schema) else { return false }
        schemaCache.isDistributed = layout.isDistributed
        schemaCache.hasRankedWords = layout.version == Layout.version
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
        schemaCache.forgetAll()
        lastWrites.removeAll()
        isLayoutKnown.store(false, ordering: .relaxed)
    }
}
