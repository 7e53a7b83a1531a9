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
}

/// The schema of a strict container, and the databases that are known to have it.
final class StrictSchema: Sendable {
    let schema: Schema
    let rule: StrictSchemaRule
    /// The databases, at most the container's own.
    private let prepared = Mutex<Set<DatabaseKey>>([])

    /// Creates the schema of a mode.
    ///
    /// - Returns: `nil` if the mode is not strict.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the schema is malformed.
    init?(_ mode: SchemaMode) throws(CabinetError) {
        guard case .strict(let schema) = mode else { return nil }
        try schema.validate()
        self.schema = schema
        rule = StrictSchemaRule(StoredSchema(schema), actions: ReferenceActionRule(schema))
    }

    /// Whether a database has the schema.
    func isPrepared(_ database: DatabaseKey) -> Bool {
        prepared.withLock { $0.contains(database) }
    }

    /// Has the next request to a database create again what it lacks.
    func setUnprepared(_ database: DatabaseKey) {
        prepared.withLock { _ = $0.remove(database) }
    }

    func setPrepared(_ database: DatabaseKey) {
        prepared.withLock { _ = $0.insert(database) }
    }
}
