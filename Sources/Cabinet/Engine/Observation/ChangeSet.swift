/// The changes of a database between two of its versions, read once for all live queries.
struct ChangeSet: Sendable {
    /// The sequence number that all changes exceed.
    let start: Int64

    /// The version of the database after the changes.
    let version: DatabaseVersion

    /// Whether the set holds all changes.
    ///
    /// A set holds none if they are too many, if deletions are forgotten, or if the store was replaced by an older one.
    var isComplete = true

    /// The zones that were deleted, each with the sequence number of its last deletion.
    var removedZones: [RecordZone.ID: Int64] = [:]

    /// The last change of each record that has changed.
    var changes: [StoredChange] = []

    /// The maximum number of changes in a set.
    ///
    /// For more changes, running the query again is not slower.
    static let maximumCount = 2_000

    /// The number of changes.
    var count: Int { changes.count + removedZones.count }

    /// The estimated bytes of memory that the set takes, without the schema, which most sets share.
    var size: Int {
        changes.reduce((1 + count) * 256) { $0 + ($1.record?.fields.byteCount ?? 0) }
    }

    /// Reads the changes since a version of the database.
    ///
    /// - Parameters:
    ///   - known: The version, or `nil` to begin with the current one: then the set holds no changes.
    ///   - snapshot: The view of the database.
    static func read(after known: DatabaseVersion?, in snapshot: any StorageSnapshot) async throws -> ChangeSet {
        let version = try await DatabaseVersion.read(in: snapshot, after: known)
        let start = known?.end ?? version.end
        var set = ChangeSet(start: start.number, version: version)
        if start == version.end { return set }
        if start.timeline == version.end.timeline, try await set.readChanges(in: snapshot) { return set }
        return ChangeSet(start: start.number, version: version, isComplete: false)
    }

    /// Reads the changes up to the end of the snapshot.
    ///
    /// - Returns: Whether these are all.
    private mutating func readChanges(in snapshot: any StorageSnapshot) async throws -> Bool {
        // A lower number on the same timeline: the store was replaced by an older one.
        guard start < version.end.number else { return false }
        let zones = try await snapshot.zoneChanges(after: start, limit: Self.maximumCount + 1)
        guard let zones, zones.count <= Self.maximumCount else { return false }
        for case .deleted(let zoneID, let number) in zones { removedZones[zoneID] = number }
        for case .changed(let zone) in zones {
            guard zone.expirationNumber <= start else { return false }
            let room = max(Self.maximumCount - count, 0)
            // No more changes follow than numbers were assigned.
            let limit = min(room + 1, Int(clamping: version.end.number - start))
            let found = try await snapshot.numberedChanges(
                in: zone.zoneID, after: start, limit: limit, of: .all(fields: nil))
            guard found.count <= room else { return false }
            changes += found.map(\.change)
        }
        return true
    }
}

/// The version of a database: the last sequence number, and the schema with its rules, to which requests add without a number.
package struct DatabaseVersion: Sendable, Equatable {
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
    package static func read(
        in snapshot: any StorageSnapshot, after known: DatabaseVersion? = nil
    ) async throws -> Self {
        let values = try await snapshot.load(StorageKeys(entries: [DatabaseState.key]))
        let state = try DatabaseState(entry: values.entries.first ?? nil)
        let schema = if let known, known.schema == values.schema { known.schema } else { values.schema }
        let rules = schema.hasGrants ? try await snapshot.schemaRules() : SchemaRules()
        return DatabaseVersion(end: state.end, schema: schema, rules: rules)
    }
}
