import Synchronization

/// Whether saves extend the schema of a container's databases, or the program declares it.
///
/// ```swift
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend,
///     schema: .strict(schema))
/// ```
///
/// <doc:Schemas> compares the two. They are CloudKit's development and production environments.
public enum SchemaMode: Sendable, Hashable {
    /// A save adds the record types and fields that do not exist yet, and a query of an unknown type finds no records.
    case growing

    /// A request is refused if it names a record type or field that the schema does not declare, or compares a field with a value
    /// of another kind.
    ///
    /// The first request to a database creates the declared types, fields and indexes that it lacks. Nothing is removed.
    case strict(Schema)

    /// A request is refused as in ``strict(_:)``, and the schema is the one that a database of the store has at the time.
    ///
    /// ```swift
    /// let container = try Container(
    ///     identifier: "com.example.shopping", backend: backend,
    ///     schema: .deployed(in: .public))
    /// ```
    ///
    /// A deployment to this database reaches the container while it runs, also from another process: the backend's change signals
    /// announce it. ``Database/deploy(_:)`` of the container itself may add types and fields to this database, and to no other one
    /// alone. The other databases get them with their next requests.
    case deployed(in: DatabaseKey)
}

/// The schema of a strict container, and the databases that are known to have it.
final class StrictSchema: Sendable {
    let schema: Schema
    let rule: StrictSchemaRule
    /// The database whose schema this is; `nil` for a schema that the program declares.
    let source: DatabaseKey?
    private let prepared = Mutex<Set<DatabaseKey>>([])

    /// The number of databases at which the set of prepared ones starts again, because a server has those of all its users.
    static let preparedLimit = 10_000

    /// Creates a schema that a program declares, or that a database has.
    init(_ schema: Schema, of source: DatabaseKey? = nil) {
        self.schema = schema
        self.source = source
        rule = StrictSchemaRule(StoredSchema(schema), actions: ReferenceActionRule(schema))
    }

    /// Whether a database has the schema.
    func isPrepared(_ database: DatabaseKey) -> Bool {
        database == source || prepared.withLock { $0.contains(database) }
    }

    /// Returns the rule for a schema to deploy to databases; `nil` if one of them is the one whose schema this is.
    func rule(deployingTo databases: [DatabaseKey]) -> StrictSchemaRule? {
        source.map(databases.contains) == true ? nil : rule
    }

    /// Has the next request to a database create again what it lacks.
    func setUnprepared(_ database: DatabaseKey) {
        prepared.withLock { _ = $0.remove(database) }
    }

    func setPrepared(_ database: DatabaseKey) {
        prepared.withLock { prepared in
            if prepared.count >= Self.preparedLimit { prepared = [] }
            prepared.insert(database)
        }
    }
}
