/// The records, targets and zones that a batch loads before it is planned.
struct BatchKeys: Sendable {
    /// The positions of the records to load; the other records have failed already.
    private(set) var positions: [Int] = []

    /// The records whose existence to check: the targets, and then the user's record.
    private var existing: [RecordID] = []

    /// The targets of new references, which must exist.
    var targets: ArraySlice<RecordID> { existing.dropLast(userID == nil ? 0 : 1) }

    /// The user's record, if it must exist.
    let userID: RecordID?

    /// The zones of the batch's records, or that of the position if there are none, and that of the user's record.
    let zoneIDs: [RecordZone.ID]

    private let ids: [RecordID]

    /// The records that a transaction has read and that are not loaded for the batch.
    let reads: [RecordID]

    /// The topics of the subscriptions that the records to save may fire, and the zones of those to delete.
    let topics: [SubscriptionTopic]

    /// Whether the request only creates records.
    private let areRecordsNew: Bool

    /// The entries that may have the response to an earlier request with the same ID.
    let replies: [StorageKey]

    /// The entries with the rights of the user in another user's zones.
    let access: ShareAccessKeys?

    private static let entryRanges = [SchemaRules.keysWithEarlierSubscriptions]

    /// Collects the keys of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - index: Its records.
    ///   - failures: The records that cannot be saved or deleted in any state of the database.
    ///   - user: The record name of the user.
    ///   - needsUserRecord: Whether the user's own record must exist even if no record of the request needs it.
    ///   - replies: The entries that may have the response to an earlier request with the same ID.
    init(
        _ request: ModifyRecordsRequest, _ index: BatchIndex, failures: [RecordID: CabinetError], user: String,
        needsUserRecord: Bool, replies: [StorageKey]
    ) {
        self.replies = replies
        let all = index.ids.indices
        let positions = failures.isEmpty ? Array(all) : all.filter { failures[index.ids[$0]] == nil }
        ids = positions.count == index.ids.count ? index.ids : positions.map { index.ids[$0] }
        self.positions = positions
        reads =
            request.reads?.records.map(\.recordID).filter { id in
                index.position(of: id).map { failures[index.ids[$0]] != nil } ?? true
            } ?? []
        userID =
            needsUserRecord || request.needs(recordNamed: user) ? RecordID(recordName: user) : nil
        let zones = index.ids.isEmpty ? [request.zoneID].compactMap(\.self) : index.ids.distinctZones
        if let zoneID = userID?.zoneID, !zones.contains(zoneID) {
            zoneIDs = zones + [zoneID]
        } else {
            zoneIDs = zones
        }
        access =
            request.scope != .shared
            ? nil
            : ShareAccessKeys(zones + reads.map(\.zoneID) + (request.reads?.zoneIDs ?? []), user: user)
        topics = SubscriptionTopic.topics(of: request.recordsToSave.lazy.map(\.recordType), in: zones)
        let (newTargets, isUpdate) = request.newTargets(failures)
        areRecordsNew =
            !isUpdate && request.recordIDsToDelete.isEmpty && reads.isEmpty
            && request.savePolicy == .ifServerRecordUnchanged
        existing.reserveCapacity(newTargets.count + (userID == nil ? 0 : 1))
        for id in newTargets where index.position(of: id).map({ failures[index.ids[$0]] != nil }) ?? true {
            existing.append(id)
        }
        if let userID { existing.append(userID) }
    }

    /// The keys to load.
    var storageKeys: StorageKeys {
        var keys = StorageKeys(
            records: reads.isEmpty ? ids : ids + reads, existing: existing, entryRanges: Self.entryRanges)
        keys.areRecordsNew = areRecordsNew
        keys.entries.reserveCapacity(1 + zoneIDs.count + topics.count + replies.count)
        keys.entries.append(DatabaseState.key)
        for zoneID in zoneIDs { keys.entries.append(StoredZone.key(zoneID)) }
        for topic in topics { keys.entries.append(topic.versionKey) }
        keys.entries += replies
        if let access { keys.entryRanges += access.entryRanges }
        return keys
    }
}

extension ModifyRecordsRequest {
    /// Returns the targets of the references that must not dangle, each once, in records that have not failed.
    ///
    /// References that the client has fetched and not changed are not sent, so the stored record keeps its own, which were
    /// checked before.
    ///
    /// - Returns: The targets, and whether the client has fetched one of the records, unless the policy ignores that.
    fileprivate func newTargets(_ failures: [RecordID: CabinetError]) -> (Set<RecordID>, isUpdate: Bool) {
        var targets: Set<RecordID> = []
        var isUpdate = false
        var last: RecordID?
        func add(_ reference: Reference) {
            // Adjacent records mostly refer to the same targets.
            guard reference.action != .none, reference.recordID != last else { return }
            targets.insert(reference.recordID)
            last = reference.recordID
        }
        for record in recordsToSave where failures.isEmpty || failures[record.recordID] == nil {
            let base = savePolicy != .allKeys && record.hasChangeTag ? record.fetched : nil
            isUpdate = isUpdate || base != nil
            record.fields.forEachReference(since: base?.fields, add)
            if let parent = record.parent, base == nil || base?.parent != parent { targets.insert(parent.recordID) }
        }
        return (targets, isUpdate)
    }

    /// The records to save by the targets of their references with the action `deleteSelf`.
    var recordsByOwner: [RecordID: [RecordID]] {
        var found: [RecordID: [RecordID]] = [:]
        for record in recordsToSave {
            record.fields.forEachReference {
                if $0.action == .deleteSelf { found[$0.recordID, default: []].append(record.recordID) }
            }
        }
        return found
    }

    /// Whether the user's own record must exist for the request.
    ///
    /// It must if the request has this record, if a record refers to it, or if a public record names it as its creator.
    fileprivate func needs(recordNamed name: String) -> Bool {
        guard scope != .shared else { return false }
        if scope == .public, !recordsToSave.isEmpty { return true }
        let id = RecordID(recordName: name)
        return recordIDsToDelete.contains(id)
            || recordsToSave.contains { record in
                record.recordID == id || record.parent?.recordID == id
                    || record.fields.containsReference { $0.recordID == id }
            }
    }
}

extension [RecordID] {
    /// The zones of the records except the default zone, each once.
    var customZones: [RecordZone.ID] {
        // Most batches have no such zone.
        if allSatisfy({ $0.zoneID == .default }) { return [] }
        return distinctZones.filter { $0 != .default }
    }

    /// The zones of the records, each once.
    var distinctZones: [RecordZone.ID] {
        guard let first = first?.zoneID else { return [] }
        // Most batches have one zone.
        if allSatisfy({ $0.zoneID == first }) { return [first] }
        return [RecordZone.ID](Set(map(\.zoneID)))
    }
}
