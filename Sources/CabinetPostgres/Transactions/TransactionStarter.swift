import Cabinet
import Synchronization

/// Begins and ends transactions on a connection.
final class TransactionStarter: Sendable {
    let catalogs: SchemaCache
    private let configuration: PostgresConfiguration
    /// Whether the container's tables exist; they are never dropped.
    private let hasLayout = Atomic<Bool>(false)

    /// The ``Connection/origin`` of the last used connection.
    private let origin = Mutex("")

    init(schema: SchemaName, configuration: PostgresConfiguration) {
        catalogs = SchemaCache(schema: schema)
        table = "\(schema.quoted).cabinet_database"
        reading = "SELECT \(DatabaseRow.columns) FROM \(table) WHERE name = $1"
        locking = """
            SELECT \(DatabaseRow.columns), \(DatabaseRow.origin(server: "$2::text")) \
            FROM \(table) WHERE name = $1 FOR UPDATE
            """
        adding = """
            WITH added AS (INSERT INTO \(table) (name, schema, "lastZone", "hasDeletions", writes) \
            VALUES ($1, 0, \(Layout.defaultZone), false, 0) ON CONFLICT (name) DO NOTHING RETURNING id) \
            INSERT INTO \(schema.quoted).cabinet_zone SELECT id, \(Layout.defaultZone), $2, $3 FROM added
            """
        ending = """
            WITH mark AS (\(CommitMark.insertion(into: "\(schema.quoted).cabinet_write"))) \
            UPDATE \(table) SET schema = $4, "lastZone" = $5, "hasDeletions" = $6, writes = $2 WHERE id = $1
            """
        self.configuration = configuration
    }

    private let table: String
    /// The first statement of a read.
    private let reading: String
    /// The first statement of a write, which waits for the lock of the database's row.
    private let locking: String
    /// The statement that adds a database's row, and that of its default zone.
    private let adding: String
    /// The statement before a commit: it stores the mark, and updates the database's row.
    private let ending: String

    /// Returns the name under which reads and writes of a database, by any backend, refer to it.
    func name(of database: DatabaseKey) -> ActiveSnapshots.DatabaseName {
        ActiveSnapshots.DatabaseName(schema: catalogs.schema.quoted, database: database)
    }

    /// Returns the context of a read, which begins with its first call.
    ///
    /// The statement that reads the database's row takes the snapshot.
    ///
    /// - Parameter isEager: Whether to take the snapshot at once.
    func reading(_ database: DatabaseKey, on connection: Connection, isEager: Bool = false) throws -> TransactionContext
    {
        let hasTables = try layoutVersion(on: connection) != nil
        let view = TransactionContext(of: database, in: self, on: connection, isEmpty: !hasTables)
        if isEager { try view.awaitSnapshot() }
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
        if try layoutVersion(on: connection) == nil {
            try connection.createLayout(in: catalogs.schema, timeLimit: configuration.busyTimeout)
            hasLayout.store(true, ordering: .relaxed)
        }
        return TransactionContext(of: database, in: self, on: connection, write: WriteState())
    }

    /// Enqueues the statements that begin a transaction and read the database's row.
    func enqueueBeginning(of view: TransactionContext) throws {
        let isolation = view.write == nil ? "REPEATABLE READ READ ONLY" : "READ COMMITTED"
        try view.connection.begin(isolation)
        try enqueueReading(of: view)
    }

    private func enqueueReading(of view: TransactionContext) throws {
        let (statement, server) = view.write == nil ? (reading, []) : (locking, [view.connection.origin])
        try view.connection.enqueue(statement, ([view.storedName] + server).map(SQLValue.text)) { result in
            try view.take(result.first.map(DatabaseRow.init))
        }
    }

    /// Enqueues the statements that add the database's row, and read it.
    func enqueueAddition(of view: TransactionContext) throws {
        try view.connection.enqueue(
            adding,
            [
                .text(view.storedName), .text(RecordZone.ID.default.zoneName), .text(RecordZone.ID.default.ownerName),
            ])
        try enqueueReading(of: view)
    }

    /// Enqueues the last statements before the commit.
    ///
    /// - Returns: The mark that shows whether the write was committed, in case the answer is lost.
    func prepareCommit(of view: TransactionContext) throws -> CommitMark {
        try view.writeSchema()
        guard var row = view.row else { throw PostgresFailure.damaged("cabinet_database has lost a row") }
        let mark = CommitMark(number: row.writes + 1)
        row.writes = mark.number
        view.row = row
        try view.removeMarks(before: mark)
        try view.connection.enqueue(
            ending,
            [
                .integer(row.id), .integer(mark.number), .integer(mark.mark), .integer(row.schema),
                .integer(row.lastZone), .boolean(row.hasDeletions),
            ]
        ) { result in
            guard result.affectedCount == 1 else { throw PostgresFailure.damaged("cabinet_database has lost a row") }
        }
        return mark
    }

    /// Commits, in the same round trip as what was sent before.
    ///
    /// - Returns: Whether all synchronous standbys have confirmed the commit.
    func commit(_ view: TransactionContext) throws -> Bool {
        let isConfirmed = try view.connection.commit()
        catalogs.offer(view.catalog)
        if let row = view.row {
            catalogs.offer(view.zones, of: row.id)
            catalogs.expect(row, in: view.database)
        }
        return isConfirmed
    }

    /// Returns whether a write was committed whose answer was lost, after waiting for the end of its transaction.
    ///
    /// - Returns: `nil` if the mark was removed since.
    func isCommitted(_ mark: CommitMark, _ database: DatabaseKey, on connection: Connection) throws -> Bool? {
        let view = try writing(database, on: connection)
        defer { try? connection.rollback() }
        try view.awaitSnapshot()
        let known = try view.knows(mark)
        guard known == true else { return known }
        // Standbys confirm commits in their order, so this later commit is confirmed after the write's. It is not spelled
        // `COMMIT`, so that tests can cut only the commits of writes.
        guard try connection.commit(with: "END") else { throw PostgresFailure.unconfirmed }
        return true
    }

    /// Returns the databases that were written.
    func databases(on connection: Connection) throws -> [DatabaseKey] {
        guard try layoutVersion(on: connection) != nil else { return [] }
        let found = try connection.query("SELECT name FROM \(table) WHERE writes > 0")
        return try found.rows.map { row in
            guard let key = row.text(0).flatMap(DatabaseKey.init(storedName:)) else {
                throw PostgresFailure.damaged("cabinet_database has a row without a name")
            }
            return key
        }
    }

    /// Returns the version of the container's tables; `nil` if they do not exist.
    private func layoutVersion(on connection: Connection) throws -> Int64? {
        forgetCaches(unlessFrom: connection.origin)
        if hasLayout.load(ordering: .relaxed) { return Layout.version }
        let version = try connection.layoutVersion(in: catalogs.schema)
        if version != nil { hasLayout.store(true, ordering: .relaxed) }
        return version
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
        hasLayout.store(false, ordering: .relaxed)
    }
}

extension DatabaseKey {
    /// The database's name in `cabinet_database`.
    var storedName: String {
        switch self {
        case .public: "public"
        case .private(let owner): "private/" + StoredText.encoded(owner)
        case .shared(let owner): "shared/" + StoredText.encoded(owner)
        }
    }

    /// Creates the database of a name; `nil` if the name is invalid.
    init?(storedName: String) {
        if storedName == "public" {
            self = .public
        } else if storedName.hasPrefix("private/") {
            self = .private(owner: StoredText.decoded(String(storedName.dropFirst(8))))
        } else if storedName.hasPrefix("shared/") {
            self = .shared(owner: StoredText.decoded(String(storedName.dropFirst(7))))
        } else {
            return nil
        }
    }
}
