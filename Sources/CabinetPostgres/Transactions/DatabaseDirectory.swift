import Cabinet

/// The number of a database, the first column of every key.
struct DatabaseNumber: Sendable {
    let id: Int64
    /// Whether this process has read it before, so that the database may have another one since.
    let isCached: Bool
}

/// The numbers of the databases, by name.
///
/// A row of `cabinet_database` never changes, and is added in a transaction of its own. So a process reads it once, and every other
/// transaction uses only rows with the number of one database, which lie on one worker of Citus.
struct DatabaseDirectory: Sendable {
    private let table: String

    init(schema: SchemaName) {
        table = "\(schema.quoted).cabinet_database"
    }

    /// Returns a database's number; `nil` if it has none.
    func number(of database: DatabaseKey, on connection: Connection) throws -> Int64? {
        try connection.query("SELECT id FROM \(table) WHERE name = $1", [.text(database.storedName)]).first?.integer(0)
    }

    /// Adds a database, unless another process has added it, and returns its number.
    func add(_ database: DatabaseKey, on connection: Connection) throws -> Int64 {
        try connection.enqueue(
            "INSERT INTO \(table) (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [.text(database.storedName)])
        guard let id = try number(of: database, on: connection) else {
            throw PostgresFailure.damaged("cabinet_database does not accept rows")
        }
        return id
    }
}

extension DatabaseKey {
    /// The database's name in `cabinet_database` and `cabinet_state`.
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
