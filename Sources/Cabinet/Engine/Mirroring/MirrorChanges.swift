import Foundation

/// The changes of a mirror's transaction, collected record by record.
struct MirrorChanges {
    /// The changes that have new numbers.
    private(set) var plan = BatchPlan()
    /// The records that only learn what the server calls them, under their old numbers.
    private(set) var quietUpdates: [StorageMutation] = []
    /// The entries of pending changes.
    private(set) var entries: [StorageMutation] = []
    private(set) var counts: PendingCounts
    private var schemaRule: SchemaRule

    init(_ schema: StoredSchema, _ rules: SchemaRules, _ counts: PendingCounts) {
        schemaRule = SchemaRule(schema: schema, rules: rules)
        self.counts = counts
    }

    /// Adds the difference between two states of a record.
    mutating func add(_ new: MirrorRule.State, replacing old: MirrorRule.State) throws(CabinetError) {
        var record = new.record
        if let draft = record, draft != old.record {
            do throws(CabinetError) {
                if let fitted = try schemaRule.fitted(draft.fields, of: draft.recordType) { record?.fields = fitted }
            } catch {
                var error = error
                error.recordID = draft.recordID
                throw error
            }
            plan.schemaAdditions = schemaRule.additions
        }
        switch (old.record, record) {
        case (nil, let record?): plan.insertions.append(.init(record: record, position: 0))
        case (let old?, nil): plan.deletions.append(old)
        case (let old?, let record?) where old.recordType != record.recordType:
            plan.deletions.append(old)
            plan.insertions.append(.init(record: record, position: 0))
        case (let old?, let record?) where !record.hasContent(of: old):
            plan.updates.append(.init(record: record, replaced: old, position: nil))
        case (let old?, var record?) where record.serverTag != old.serverTag:
            record.sequenceNumber = old.sequenceNumber
            record.modificationDate = old.modificationDate
            record.lastModifierName = old.lastModifierName
            quietUpdates.append(.update(record, replacing: old))
        default: break
        }
        guard let id = old.change?.recordID ?? new.change?.recordID else { return }
        counts.replace(old.change, by: new.change)
        entries.append(try new.change?.mutation ?? .setEntry(PendingChange.key(id), nil))
    }
}

/// The entries of a mirror that a transaction reads.
struct MirrorEntries {
    private(set) var counts: PendingCounts
    let lease: String?
    let batch: MirrorBatch?
    private(set) var changes: [RecordID: PendingChange] = [:]
    private var zones: [RecordZone.ID: MirrorZone] = [:]

    init(_ write: MirrorWrite, _ index: BatchIndex, in transaction: any StorageTransaction) async throws {
        let keys = index.ids.map(PendingChange.key)
        let zoneIDs = Array(Set((write.zone.map { [$0.id] } ?? []) + (write.position?.staleZones ?? [])))
        let first = [PendingCounts.key, MirrorLease.key, MirrorBatch.key]
        let texts = try await transaction.load(StorageKeys(entries: first + keys + zoneIDs.map(MirrorZone.key))).entries
        counts = try PendingCounts(text: texts[0])
        lease = texts[1]
        batch = try texts[2].map { text throws(CabinetError) in
            try StorageEntry(key: MirrorBatch.key, text: text).codedValue()
        }
        for (key, text) in zip(keys, texts.dropFirst(first.count)) {
            guard let text else { continue }
            let change = try PendingChange(StorageEntry(key: key, text: text))
            changes[change.recordID] = change
        }
        for (id, text) in zip(zoneIDs, texts.dropFirst(first.count + keys.count)) {
            zones[id] = try MirrorZone(id, text: text)
        }
    }

    /// Returns the mutations of the other entries.
    func mutations(of write: MirrorWrite, _ counts: PendingCounts) throws(CabinetError) -> [StorageMutation] {
        var (mutations, counts, zones) = ([StorageMutation](), counts, zones)
        if let batch = write.newBatch {
            mutations.append(.setEntry(MirrorBatch.key, try StorageEntry.codedText(of: batch)))
        } else if write.batch != nil {
            mutations.append(.setEntry(MirrorBatch.key, nil))
        }
        if let position = write.position {
            mutations.append(.setEntry(MirrorStore.positionKey, try StorageEntry.codedText(of: position.place)))
            for id in position.staleZones { zones[id]?.isStale = true }
        }
        if let zone = write.zone, var changed = zones[zone.id] {
            zone.change(&changed)
            counts.replace(zones[zone.id]?.pending ?? (false, false), by: changed.pending)
            zones[zone.id] = changed
        }
        for zone in zones.values.sorted(by: { $0.zoneID.zoneName < $1.zoneID.zoneName }) {
            mutations.append(try zone.mutation)
        }
        mutations.append(counts.mutation)
        return mutations
    }
}
