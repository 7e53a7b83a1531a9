import Synchronization

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

    func setPrepared(_ database: DatabaseKey) {
        prepared.withLock { _ = $0.insert(database) }
    }
}
