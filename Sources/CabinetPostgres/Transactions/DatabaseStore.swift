import Cabinet
import Synchronization

/// Begins and ends transactions on a connection.
final class DatabaseStore: Sendable {
    let catalogs: CatalogStore
    private let configuration: PostgresConfiguration
    /// The databases' rows as the last transactions have seen them.
    private let rows = Mutex<[DatabaseKey: DatabaseRow]>([:])
    /// Whether the container's tables were seen, and are of the newest version.
    private let hasLayout = Atomic<Bool>(false)

    /// ``Connection/origin`` of the connection that was used last.
    private let origin = Mutex("")

    /// The most databases whose rows to remember.
    static let rowLimit = 10_000

    init(schema: SchemaName, configuration: PostgresConfiguration) {
        catalogs = CatalogStore(schema: schema)
        table = "\(schema.quoted).cabinet_database"
        reading = "SELECT \(DatabaseRow.columns) FROM \(table) WHERE name = $1"
        locking = """
            SELECT \(DatabaseRow.columns), coalesce(origin = \(DatabaseRow.origin(server: "$2")), false) \
            FROM \(table) WHERE name = $1 FOR UPDATE
            """
        ending = """
            WITH mark AS (\(CommitMark.insertion(into: "\(schema.quoted).cabinet_write"))) \
            UPDATE \(table) SET sequence = $4, schema = $5, "lastZone" = $6, "hasDeletions" = $7, \
            "hasSubscriptions" = $8, writes = $2 WHERE id = $1 RETURNING pg_notify($9, $10)
            """
        self.configuration = configuration
    }

    private let table: String
    /// The statements that ask for a database's row, made once: every transaction begins with one of them.
    private let reading: String
    private let locking: String
    /// The statement before a commit: it leaves the mark, notes what has changed, and announces it, all in one.
    private let ending: String

    /// The name under which reads and writes of a database find each other.
    func name(of database: DatabaseKey) -> OpenReads.DatabaseName {
        OpenReads.DatabaseName(schema: catalogs.schema.quoted, database: database)
    }

    /// Begins to read: from now on the view is of one state of the database.
    ///
    /// The snapshot is taken by the statement that reads the database's row. If the process has seen the row before, its answer is
    /// not waited for, but comes with that to the first thing that is read: one round trip instead of two.
    ///
    /// - Parameter isGuessing: Whether to go on without waiting for that answer.
    func beginReading(
        _ database: DatabaseKey, on connection: Connection, isGuessing: Bool = true
    ) throws -> DatabaseView {
        let view = DatabaseView(connection: connection, catalogs: catalogs, row: nil, catalog: .empty)
        guard let layout = try layoutVersion(on: connection) else { return view }
        view.hasTimelines = layout >= 2
        try connection.enqueue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try ask(for: database, isLocking: false, view)
        try view.setSavepoint()
        if isGuessing, try guess(database, view) { return view }
        try connection.flush()
        try begin(view, database)
        return view
    }

    /// Asks for a database's row.
    ///
    /// - Parameter isLocking: Whether to lock the row.
    private func ask(for database: DatabaseKey, isLocking: Bool, _ view: DatabaseView) throws {
        let parameters = [database.storedName] + (isLocking ? [view.connection.origin] : [])
        try view.connection.enqueue(isLocking ? locking : reading, parameters.map(SQLValue.text)) { result in
            try view.take(result.first.map(DatabaseRow.init))
        }
    }

    /// Lets a transaction go on as if the database were as it was last, and sends what was enqueued.
    ///
    /// - Returns: Whether anything is known of the database.
    private func guess(_ database: DatabaseKey, _ view: DatabaseView) throws -> Bool {
        guard let row = rows.withLock({ $0[database] }), let catalog = catalogs.knownCatalog(row.schema) else {
            return false
        }
        view.guess(row, catalog, catalogs.zones(of: row.id))
        try view.connection.push()
        return true
    }

    /// Notes what a transaction has found, for itself and for later ones.
    private func begin(_ view: DatabaseView, _ database: DatabaseKey) throws {
        guard let row = view.row else { return }
        view.begin(row, try catalogs.catalog(row.schema, on: view.connection), catalogs.zones(of: row.id))
        remember(row, of: database)
    }

    /// The number of databases whose rows are remembered, for tests.
    var rowCount: Int { rows.withLock(\.count) }

    /// Remembers what a transaction has found.
    func remember(_ row: DatabaseRow, of database: DatabaseKey) {
        rows.withLock { rows in
            if rows.count >= Self.rowLimit { rows = [:] }
            rows[database] = row
        }
    }

    /// Forgets what is known of a database, because it is not so any more.
    func forget(_ database: DatabaseKey) { rows.withLock { $0[database] = nil } }

    /// Begins to write: waits until nobody else writes to the database.
    ///
    /// The lock is that of the database's row, and every statement sees what was committed before it began (`READ COMMITTED`). As
    /// whatever a write reads or changes belongs to its database, and nobody changes that without the lock, writes of one database
    /// run as if one after the other, which is what `SERIALIZABLE` would promise. It would promise it for all databases together,
    /// and keep track of it by the pages of the indexes that they share: writers of different databases would fail each other. It
    /// would also see what was committed when a write began to wait for the lock, not when it got it: of two writers of one
    /// database, one would always fail. And with the lock, the order of sequence numbers is the order of commits.
    ///
    /// - Parameter isGuessing: Whether to go on without waiting for the lock, as ``beginReading(_:on:)`` does, if the process has seen
    ///   the database before.
    func beginWriting(
        _ database: DatabaseKey, on connection: Connection, isGuessing: Bool = true
    ) throws -> DatabaseView {
        if try layoutVersion(on: connection) != Layout.version {
            try connection.createLayout(in: catalogs.schema, timeLimit: configuration.busyTimeout)
            hasLayout.store(true, ordering: .relaxed)
        }
        let view = DatabaseView(connection: connection, catalogs: catalogs, row: nil, catalog: .empty)
        try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
        try ask(for: database, isLocking: true, view)
        if isGuessing, try guess(database, view) {
            view.write = WriteState()
            return view
        }
        try connection.flush()
        if view.row == nil {
            try connection.enqueue(
                """
                INSERT INTO \(table) (name, sequence, schema, "lastZone", "hasDeletions", "hasSubscriptions", writes) \
                VALUES ($1, 0, 0, \(Layout.defaultZone), false, false, 0) ON CONFLICT (name) DO NOTHING
                """, [.text(database.storedName)])
            try ask(for: database, isLocking: true, view)
            try connection.flush()
        }
        guard view.row != nil else { throw PostgresFailure.damaged("cabinet_database does not take rows") }
        try begin(view, database)
        view.write = WriteState()
        return view
    }

    /// Prepares the commit: all that can fail is done, except for what was sent and not answered yet.
    ///
    /// - Returns: What tells whether the write was committed, should the answer get lost.
    func prepareCommit(of view: DatabaseView, _ database: DatabaseKey) throws -> CommitMark {
        try view.writeSchema()
        try view.writeDefaultZoneMark()
        try view.writeTimeline()
        guard var row = view.row else { throw PostgresFailure.damaged("cabinet_database has lost a row") }
        let mark = CommitMark(number: row.writes + 1)
        row.writes = mark.number
        view.row = row
        try view.removeMarks(before: mark)
        try view.connection.enqueue(
            ending,
            [
                .integer(row.id), .integer(mark.number), .integer(mark.mark), .integer(row.sequence),
                .integer(row.schema), .integer(row.lastZone), .boolean(row.hasDeletions),
                .boolean(row.hasSubscriptions), .text(catalogs.schema.channel), .text(database.storedName),
            ]
        ) { result in
            guard result.affectedCount == 1 else { throw PostgresFailure.damaged("cabinet_database has lost a row") }
        }
        return mark
    }

    /// Commits, in the same round trip as what was sent before.
    func commit(_ view: DatabaseView, _ database: DatabaseKey) throws {
        try view.connection.enqueue("COMMIT", isPrepared: false)
        try view.connection.flush()
        catalogs.offer(view.catalog)
        if let row = view.row {
            catalogs.offer(view.zones, of: row.id)
            if view.write?.hasDefaultZone == true { catalogs.noteDefaultZone(of: row.id) }
            remember(row, of: database)
        }
    }

    /// Finds out whether a write was committed whose answer was lost, after waiting for the end of its transaction.
    ///
    /// - Returns: `nil` if it is too long ago to tell.
    func isCommitted(_ mark: CommitMark, _ database: DatabaseKey, on connection: Connection) throws -> Bool? {
        let view = try beginWriting(database, on: connection, isGuessing: false)
        defer { try? connection.rollback() }
        return try view.knows(mark)
    }

    /// The databases that were written.
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

    /// Looks for the container's tables.
    ///
    /// - Returns: Their version; `nil` if they are not there.
    private func layoutVersion(on connection: Connection) throws -> Int64? {
        forgetCaches(unlessFrom: connection.origin)
        if hasLayout.load(ordering: .relaxed) { return Layout.version }
        let version = try connection.layoutVersion(in: catalogs.schema)
        // The first write of any process upgrades older tables.
        if version == Layout.version { hasLayout.store(true, ordering: .relaxed) }
        return version
    }
}

extension DatabaseStore {
    /// Forgets what other transactions have found, if they have found it on another server or before this one was started.
    private func forgetCaches(unlessFrom current: String) {
        let isOther = origin.withLock { origin in
            if origin == current { return false }
            defer { origin = current }
            return !origin.isEmpty
        }
        guard isOther else { return }
        rows.withLock { $0 = [:] }
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

    /// The database with a name; `nil` if there is no such name.
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
