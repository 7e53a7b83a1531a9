/// The version of a database: the last sequence number, and the schema with its rules, whose changes have no numbers.
struct DatabaseVersion: Sendable, Equatable {
    /// The last sequence number, and its timeline.
    let end: TimelinePoint

    /// The record types, their fields and indexes.
    let schema: StoredSchema

    /// The roles, grants and unique values, if there are grants.
    var rules = SchemaRules()

    /// Reads the version of a database, in one round trip unless its schema has grants.
    ///
    /// - Parameters:
    ///   - snapshot: The view of the database.
    ///   - known: An earlier version; an equal schema shares its memory.
    static func read(in snapshot: any StorageSnapshot, after known: DatabaseVersion? = nil) async throws -> Self {
        let values = try await snapshot.load(StorageKeys(entries: [DatabaseState.key]))
        let state = try DatabaseState(entry: values.entries.first ?? nil)
        let schema = if let known, known.schema == values.schema { known.schema } else { values.schema }
        let rules = schema.hasGrants ? try await snapshot.schemaRules() : SchemaRules()
        return DatabaseVersion(end: state.end, schema: schema, rules: rules)
    }
}
