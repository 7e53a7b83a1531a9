/// The values of a database that a request to save and delete zones depends on, loaded in one call.
struct KnownZones: Sendable {
    var state: DatabaseState

    /// The requested zones that exist.
    let zones: [RecordZone.ID: StoredZone]

    /// The zones to delete that have a short GUID.
    let zonesWithShortGUID: Set<RecordZone.ID>

    /// The entries of the hierarchies in the zones to delete.
    let hierarchies: [RecordZone.ID: [StorageEntry]]

    /// The roles, grants and unique values of the database.
    let rules: SchemaRules

    let schema: StoredSchema

    /// The ID of the store's incarnation, in which the transaction writes.
    let origin: String?

    /// The subscriptions that the request may fire.
    var subscriptions: LoadedSubscriptions

    /// Loads the values.
    ///
    /// - Parameters:
    ///   - saved: The zones to save.
    ///   - deleted: The zones to delete.
    ///   - database: The database.
    ///   - transaction: The transaction to load from.
    ///   - cache: The subscriptions that are known by their versions.
    init(
        saving saved: [RecordZone.ID], deleting deleted: [RecordZone.ID], in database: DatabaseKey,
        from transaction: any StorageTransaction, cache: SubscriptionCache
    ) async throws {
        let ids = saved + deleted
        let values = try await transaction.load(
            StorageKeys(
                entries: [DatabaseState.key, SubscriptionTopic.any.versionKey] + ids.map(StoredZone.key)
                    + deleted.map(ShortGUIDEntry.key),
                entryRanges: [SchemaRules.keysWithEarlierSubscriptions] + deleted.map(HierarchyEntries.allKeys)))
        var texts = values.entries[...]
        state = try DatabaseState(entry: texts.popFirst() ?? nil)
        let version = texts.prefix(1)
        texts = texts.dropFirst()
        var zones: [RecordZone.ID: StoredZone] = [:]
        for (id, text) in zip(ids, texts) {
            guard let text else { continue }
            zones[id] = try StoredZone(id, text: text)
        }
        self.zones = zones
        zonesWithShortGUID = Set(zip(deleted, texts.dropFirst(ids.count)).filter { $1 != nil }.map(\.0))
        var ranges = values.entryRanges[...]
        let (rules, earlier) = try SchemaRules.separated(from: ranges.popFirst() ?? [])
        self.rules = rules
        hierarchies = Dictionary(zip(deleted, ranges), uniquingKeysWith: { first, _ in first })
        schema = values.schema
        origin = values.origin
        subscriptions = LoadedSubscriptions(of: database, [.any], version, earlier: earlier, cache: cache)
    }
}
