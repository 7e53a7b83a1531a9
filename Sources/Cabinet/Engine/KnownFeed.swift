/// The values of a database that a request for changes depends on, loaded in one call.
struct KnownFeed: Sendable {
    let state: DatabaseState

    /// The requested zones that exist.
    let zones: [RecordZone.ID: StoredZone]

    let schema: StoredSchema

    /// Loads the state of a database and of zones.
    ///
    /// - Parameters:
    ///   - zoneIDs: The zones; the default zone has the number with which the changes of the whole database begin.
    ///   - snapshot: The view to load from.
    init(of zoneIDs: Set<RecordZone.ID>, in snapshot: any StorageSnapshot) async throws {
        let ids = Array(zoneIDs)
        let values = try await snapshot.load(StorageKeys(entries: [DatabaseState.key] + ids.map(StoredZone.key)))
        state = try DatabaseState(entry: values.entries.first ?? nil)
        var zones: [RecordZone.ID: StoredZone] = [:]
        for (id, text) in zip(ids, values.entries.dropFirst()) {
            guard let text else { continue }
            zones[id] = try StoredZone(id, text: text)
        }
        self.zones = zones
        schema = values.schema
    }

    /// Returns the position that a page begins after.
    ///
    /// - Parameters:
    ///   - position: The caller's position; `nil` for the beginning.
    ///   - zone: The zone whose changes are requested; `nil` for the database's.
    ///   - permissions: The permissions of the caller.
    ///   - snapshot: The view that was loaded from.
    /// - Throws: ``CabinetError/Code/changeTokenExpired`` if the position has expired.
    func start(
        after position: FeedPosition?, of zone: StoredZone? = nil, by permissions: PermissionRule,
        in snapshot: any StorageSnapshot
    ) async throws -> FeedPosition {
        let readAccess = permissions.readAccess
        let start = ChangeFeedRule.start(position, last: state.lastSequenceNumber, readAccess: readAccess)
        guard let position else { return start }
        try ChangeFeedRule.check(position, readAccess: readAccess)
        try ChangeFeedRule.check(start, last: state.lastSequenceNumber)
        try ChangeFeedRule.check(start, beginning: zones[.default]?.creationNumber ?? 0)
        if let zone { try ChangeFeedRule.check(start, of: zone) }
        guard try await state.contains(position.end, in: snapshot) else { throw ChangeFeedRule.replaced }
        return start
    }

    /// Returns the number of changes to read for a page, with one more to see whether further changes follow.
    ///
    /// A database has no more changes after a position than it assigned numbers since then. A store that knows how few changes
    /// can follow reads them at once; it would prepare for a long page otherwise.
    func readingLimit(ofPage limit: Int, after start: FeedPosition) -> Int {
        let possible = Int(clamping: max(state.lastSequenceNumber - start.number, 1))
        return limit < possible ? limit + 1 : possible
    }
}
