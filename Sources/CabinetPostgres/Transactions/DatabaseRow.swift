import Cabinet

/// A database's row in `cabinet_state`, which every transaction reads first.
struct DatabaseRow: Sendable {
    /// The database's number.
    let id: Int64
    /// The number of the database's schema, or 0.
    var schema: Int64
    /// The highest number that a zone, or the deletion of one, has taken.
    var lastZone: Int64
    /// Whether records were ever deleted.
    var hasDeletions: Bool
    /// The number of committed writes.
    var writes: Int64
    /// The last commits; only writes read them.
    var marks = CommitMarks()
    /// The ``/Cabinet/StorageValues/origin`` of the store; only writes read it.
    var origin: String?

    /// The columns of a read, in their order.
    static let columns = #"schema, "lastZone", "hasDeletions", writes"#

    /// Returns the columns of a write, in their order.
    ///
    /// The last one is the origin: the start of the server, and the table's file, which differs when a dump is restored. On
    /// Citus, it begins with the starts of the coordinator and of the worker. Moving a shard changes the origin, which only begins
    /// another timeline.
    ///
    /// - Parameters:
    ///   - server: ``Connection/origin``, in SQL.
    ///   - isDistributed: Whether the row lies on a worker of Citus.
    static func columnsToWrite(server: String, isDistributed: Bool) -> String {
        let worker = isDistributed ? " || '/' || extract(epoch FROM pg_postmaster_start_time())::text" : ""
        let file = "coalesce(pg_relation_filenode(tableoid), tableoid)::text"
        return "\(columns), writers, \(server)\(worker) || '/' || \(file)"
    }
}

extension DatabaseRow {
    /// Returns whether another version of the row has the same schema and zones, so that the same statements read the database.
    func isAlike(_ other: DatabaseRow) -> Bool {
        id == other.id && schema == other.schema && lastZone == other.lastZone
    }

    /// Returns whether the row is another write's version in the same history, with the same content of the database.
    ///
    /// A server with `synchronous_commit = off` may lose its last commits in a crash and keep its origin. Another process may then
    /// have written with the same numbers.
    func isSame(as other: DatabaseRow) -> Bool {
        id == other.id && writes == other.writes && marks == other.marks && origin == other.origin
    }

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - row: The ``columns``, or those of a write.
    ///   - id: The database's number.
    init(_ row: QueryRow, id: Int64) throws {
        guard let schema = row.integer(0), let lastZone = row.integer(1), let hasDeletions = row.boolean(2),
            let writes = row.integer(3), [lastZone, writes].allSatisfy({ (0...1 << 62).contains($0) })
        else { throw Self.damaged }
        self.id = id
        self.schema = schema
        self.lastZone = lastZone
        self.hasDeletions = hasDeletions
        self.writes = writes
        guard let origin = row.text(5) else { return }
        guard let marks = row.integers(4).flatMap(CommitMarks.init(stored:)) else { throw Self.damaged }
        self.marks = marks
        self.origin = origin
    }

    private static var damaged: CabinetError {
        PostgresFailure.damaged("cabinet_state has a row with invalid values")
    }
}
