/// The version of a database: the last sequence number, and the schema with its rules, whose changes have no numbers.
struct DatabaseVersion: Sendable, Equatable {
    /// The last sequence number, and its timeline.
    let end: TimelinePoint

    /// The record types, their fields and indexes.
    let schema: StoredSchema

    /// The roles, grants and unique values.
    var rules = SchemaRules()

    /// Reads the version of a database, in one round trip.
    ///
    /// - Parameters:
    ///   - snapshot: The view of the database.
    ///   - known: An earlier version; an equal schema shares its memory.
    static func read(in snapshot: any StorageSnapshot, after known: DatabaseVersion? = nil) async throws -> Self {
        let values = try await snapshot.load(
            StorageKeys(entries: [DatabaseState.key], entryRanges: [SchemaRules.allKeys]))
        let state = try DatabaseState(entry: values.entries.first ?? nil)
        let schema = if let known, known.schema == values.schema { known.schema } else { values.schema }
        return DatabaseVersion(
            end: state.end, schema: schema, rules: try SchemaRules(values.entryRanges.first ?? []))
    }
}
