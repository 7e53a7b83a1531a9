/// The loaded values of a database that a batch's plan is based on.
struct KnownBatch: Sendable {
    /// The records that the batch names, as they are stored.
    var stored: PerRecord<StoredRecord>

    /// The other records that a transaction has read, as they are stored.
    private var read: [RecordID: StoredRecord] = [:]

    /// References, their targets and the records that hold them.
    var references = KnownReferences()

    /// The records that go with the only record that the batch deletes, and that no rule needs one by one.
    var groups: [ReferrerGroup] = []

    /// The existing zones in which the batch may change something; the default zone exists before its first change.
    var zones: [RecordZone.ID: StoredZone] = [:]

    /// The subscriptions that the batch may fire.
    var subscriptions: LoadedSubscriptions

    let schema: StoredSchema

    /// The rights of a participant in the zones of the batch; `nil` in the user's own databases.
    var access: ShareAccess?

    /// The records of hierarchies that the batch may change; `nil` if no hierarchy is shared.
    var hierarchy: KnownHierarchy?

    /// The roles, grants and unique values of the database.
    let rules: SchemaRules

    /// The stored records with values that the batch's records will have in unique fields.
    var holders: [UniqueValues: [StoredRecord]] = [:]

    var state: DatabaseState

    /// The response to an earlier request with the same ID.
    let reply: String?

    /// The ID of the store's incarnation, in which the transaction writes.
    let origin: String?

    /// Whether the user's own record is stored; `true` if the batch does not need it.
    let hasUserRecord: Bool

    /// Creates the values from those that a view has loaded.
    init(
        _ values: StorageValues, for keys: BatchKeys, _ index: BatchIndex, in database: DatabaseKey,
        _ cache: SubscriptionCache
    ) throws {
        stored = PerRecord(index)
        // A faulty backend may return fewer values than keys.
        for index in keys.positions.indices where index < values.records.count {
            stored[keys.positions[index]] = values.records[index]
        }
        for case let record? in values.records.dropFirst(keys.positions.count) { read[record.recordID] = record }
        let targets = keys.targets
        for index in targets.indices where index < values.existing.count && values.existing[index] {
            references.existing.insert(targets[index])
        }
        hasUserRecord = keys.userID == nil || values.existing.last == true
        state = try DatabaseState(entry: values.entries.first ?? nil)
        for index in keys.zoneIDs.indices {
            guard index + 1 < values.entries.count else { continue }
            zones[keys.zoneIDs[index]] = try StoredZone.loaded(keys.zoneIDs[index], values.entries[index + 1])
        }
        let (rules, earlier) = try SchemaRules.separated(from: values.entryRanges.first ?? [])
        self.rules = rules
        access = try keys.access?.access(values.entryRanges.dropFirst())
        subscriptions = LoadedSubscriptions(
            of: database, keys.topics, values.entries.dropFirst(1 + keys.zoneIDs.count), earlier: earlier, cache: cache)
        let repliesStart = 1 + keys.zoneIDs.count + keys.topics.count
        reply = keys.replies.isEmpty ? nil : values.entries.dropFirst(repliesStart).lazy.compactMap { $0 }.first
        schema = values.schema
        origin = values.origin
    }

    /// Returns the stored records that a transaction has read.
    func records(of reads: TransactionReads) -> [RecordID: StoredRecord] {
        var found = read
        for read in reads.records where found[read.recordID] == nil { found[read.recordID] = stored[read.recordID] }
        return found
    }

    /// Loads the references to the records that the batch deletes, as far as a cascade reaches, with their sources and the sources' zones.
    ///
    /// - Parameters:
    ///   - request: The batch.
    ///   - transaction: The transaction to load from.
    ///   - meter: The meter of the request, whose cancellation ends the cascade after at most ``pageSize`` records.
    mutating func loadCascade(
        of request: ModifyRecordsRequest, from transaction: any StorageTransaction, _ meter: WorkMeter
    ) async throws {
        var frontier = request.recordIDsToDelete.filter { stored[$0] != nil }
        if frontier.isEmpty || !groups.isEmpty { return }
        var reached = Set(frontier)
        var sources: [RecordID] = []
        var known: Set<RecordID> = []
        let saved = request.isAtomic ? [:] : request.recordsByOwner
        while !frontier.isEmpty {
            var next: [RecordID] = []
            for page in frontier.parts(of: Self.pageSize) {
                try meter.checkCancellation()
                let found = try await transaction.references(to: Array(page))
                references.add(found)
                sources += found.map(\.source).filter { known.insert($0).inserted }
                next += found.filter(\.isOwned).map(\.source)
            }
            // A save may move a record, and those that it owns, to a record that the batch deletes.
            next += frontier.flatMap { saved[$0] ?? [] }.filter { stored[$0] != nil }
            frontier = next.filter { reached.insert($0).inserted }
        }
        // The sources of all levels together: a long chain of references has one source in each.
        for page in sources.parts(of: Self.pageSize) {
            try meter.checkCancellation()
            try await loadSources(Array(page), from: transaction)
        }
        try meter.checkCancellation()
    }

    /// Loads the subscriptions that the batch may fire, after the cascade, which decides the types and zones of its changes.
    mutating func loadSubscriptions(
        of request: ModifyRecordsRequest, from transaction: any StorageTransaction
    ) async throws {
        var topics: [SubscriptionTopic] = []
        if !request.recordIDsToDelete.isEmpty {
            var (types, zoneIDs): (Set<Record.RecordType>, Set<RecordZone.ID>) = ([], [])
            for id in request.recordIDsToDelete { if let type = stored[id]?.recordType { types.insert(type) } }
            for (id, source) in references.sources {
                types.insert(source.recordType)
                zoneIDs.insert(id.zoneID)
            }
            types.formUnion(groups.map(\.recordType))
            topics = SubscriptionTopic.topics(of: types, in: zoneIDs)
        }
        try await subscriptions.load(topics, from: transaction)
    }

    /// The number of records of a cascade that are loaded, or changed, at once.
    static let pageSize = 4096

    /// Loads the references to records, to count them.
    mutating func loadReferences(to ids: [RecordID], from transaction: any StorageTransaction) async throws {
        let unknown = ids.filter { references.byTarget[$0] == nil }
        if unknown.isEmpty { return }
        references.add(try await transaction.references(to: unknown))
    }

    private mutating func loadSources(_ ids: [RecordID], from transaction: any StorageTransaction) async throws {
        if ids.isEmpty { return }
        let zoneIDs = ids.distinctZones.filter { zones[$0] == nil }
        let values = try await transaction.load(StorageKeys(records: ids, entries: zoneIDs.map(StoredZone.key)))
        references.sources.reserveCapacity(references.sources.count + ids.count)
        for case let record? in values.records { references.sources[record.recordID] = record }
        for (id, text) in zip(zoneIDs, values.entries) { zones[id] = try StoredZone.loaded(id, text) }
    }
}
