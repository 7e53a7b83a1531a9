import Cabinet

/// A database's row in `cabinet_database`, which every transaction reads first.
struct DatabaseRow: Sendable {
    /// The database's number.
    let id: Int64
    /// The number of the database's schema, or 0.
    var schema: Int64
    /// The highest number of a zone.
    var lastZone: Int64
    /// Whether records were ever deleted.
    var hasDeletions: Bool
    /// The number of committed writes.
    var writes: Int64
    /// The ``/Cabinet/StorageValues/origin`` of the store; only writes read it.
    var origin: String?

    /// The columns, in the order in which they are read.
    static let columns = #"id, schema, "lastZone", "hasDeletions", writes"#

    /// Returns the origin in SQL: the start of the server, and the table's file, which differs when a dump is restored.
    ///
    /// - Parameter server: ``Connection/origin``, in SQL.
    static func origin(server: String) -> String {
        "\(server) || '/' || coalesce(pg_relation_filenode(tableoid), tableoid)::text"
    }
}

extension DatabaseRow {
    /// Returns whether another version of the row has the same schema and zones, so that the same statements read the database.
    func isAlike(_ other: DatabaseRow) -> Bool {
        id == other.id && schema == other.schema && lastZone == other.lastZone
    }

    /// Reads a row.
    init(_ row: QueryRow) throws {
        guard let id = row.integer(0), let schema = row.integer(1), let lastZone = row.integer(2),
            let hasDeletions = row.boolean(3), let writes = row.integer(4), writes >= 0
        else { throw PostgresFailure.damaged("cabinet_database has a row with invalid values") }
        self.id = id
        self.schema = schema
        self.lastZone = lastZone
        self.hasDeletions = hasDeletions
        self.writes = writes
        origin = row.text(5)
    }
}
