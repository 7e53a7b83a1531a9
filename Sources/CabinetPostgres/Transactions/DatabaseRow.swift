import Cabinet

/// A database's row in `cabinet_database`: what every transaction needs to know first.
struct DatabaseRow: Sendable {
    /// The database's number.
    var id: Int64
    /// The highest sequence number that was ever reserved.
    var sequence: Int64
    /// The number of the database's schema, or 0.
    var schema: Int64
    /// The highest number of a zone.
    var lastZone: Int64
    /// Whether records were ever deleted.
    var hasDeletions: Bool
    /// Whether subscriptions were ever stored.
    var hasSubscriptions: Bool
    /// How many writes there were.
    var writes: Int64

    /// Whether the last timeline of the database began on this server since it was started, and in these tables; asked for by writes
    /// only.
    var isOnTimeline = true
    /// The timeline that the write under way begins: its first number and its ID.
    var newTimeline: (first: Int64, id: Int64)?

    /// Whether a transaction that was begun for one of them would have sent the same statements for the other.
    func agrees(with other: DatabaseRow) -> Bool {
        id == other.id && schema == other.schema && lastZone == other.lastZone
    }

    /// The columns, in the order in which they are read.
    static let columns = #"id, sequence, schema, "lastZone", "hasDeletions", "hasSubscriptions", writes"#

    /// What the last timeline of a row began on, in SQL: the server, and the table's file, which a dump that is restored gets anew.
    ///
    /// - Parameter server: ``Connection/origin``, in SQL.
    static func origin(server: String) -> String {
        "\(server) || '/' || coalesce(pg_relation_filenode(tableoid), tableoid)::text"
    }

    /// Reads a row.
    init(_ row: QueryRow) throws {
        guard let id = row.integer(0), let sequence = row.integer(1), sequence >= 0, let schema = row.integer(2),
            let lastZone = row.integer(3), let hasDeletions = row.boolean(4), let hasSubscriptions = row.boolean(5),
            let writes = row.integer(6)
        else {
            // A number that was used before would be the change tag of another version: no conflict would be seen.
            throw PostgresFailure.damaged("cabinet_database has a row that does not hold what it should")
        }
        isOnTimeline = row.boolean(7) ?? true
        self.id = id
        self.sequence = sequence
        self.schema = schema
        self.lastZone = lastZone
        self.hasDeletions = hasDeletions
        self.hasSubscriptions = hasSubscriptions
        self.writes = writes
    }
}
