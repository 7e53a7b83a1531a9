/// The entries of a mirror that a transaction reads.
struct MirrorEntries {
    private(set) var counts: PendingCounts
    let lease: String?
    /// The changes of the request that is answered, or otherwise of the one without an answer.
    let sent: PerRecord<SentChange>
    /// Whether fetched versions wait for the answer that is applied.
    let hasRereads: Bool
    /// The pending changes before the transaction.
    private(set) var changes: PerRecord<PendingChange>
    private var zones: [RecordZone.ID: MirrorZone] = [:]

    /// Reads the entries.
    ///
    /// - Parameters:
    ///   - write: The transaction.
    ///   - index: Its records.
    ///   - isUnchanged: Whether the changes are those that the answered request was formed from.
    ///   - transaction: The transaction of the store.
    init(
        _ write: MirrorWrite, _ index: BatchIndex, isUnchanged: Bool, in transaction: any StorageTransaction
    ) async throws {
        var zoneKeys = PendingChange.Keys()
        let keys = isUnchanged ? [] : index.ids.map { zoneKeys.key($0) }
        let zoneIDs = Array(Set((write.zone.map { [$0.id] } ?? []) + (write.position?.staleZones ?? [])))
        // The request that is answered is the one that is stored, which takes longer to read.
        let readsBatch = write.batch == nil && !write.events.isEmpty
        let first = [PendingCounts.key, MirrorLease.key] + (readsBatch ? [MirrorBatch.key] : [])
        let values = try await transaction.load(
            StorageKeys(
                entries: first + keys + zoneIDs.map(MirrorZone.key),
                entryRanges: write.batch == nil ? [] : [Self.rereadKeys]))
        let texts = values.entries
        hasRereads = values.entryRanges.contains { !$0.isEmpty }
        counts = try PendingCounts(text: texts[0])
        lease = texts[1]
        let batch: MirrorBatch? =
            try write.batch
            ?? (readsBatch ? texts[2] : nil).map { text throws(CabinetError) in
                try StorageEntry(key: MirrorBatch.key, text: text).codedValue()
            }
        sent = batch?.sent(by: index) ?? PerRecord(index)
        changes = PerRecord(index)
        for (position, key) in keys.enumerated() {
            guard let text = texts[first.count + position] else { continue }
            changes[position] = try PendingChange(index.ids[position], StorageEntry(key: key, text: text))
        }
        if isUnchanged, let batch = write.batch {
            batch.forEachItem(of: index) { changes[$0] = $1.change }
        }
        for (id, text) in zip(zoneIDs, texts.dropFirst(first.count + keys.count)) {
            zones[id] = try MirrorZone(id, text: text)
        }
    }

    /// The keys of the entries that a copy of a mirror's store needs: all but the lease of a process.
    static let copiedRanges = [
        PendingChange.allKeys, MirrorZone.allKeys, rereadKeys, WantedAssets.allKeys,
        PendingCounts.key..<PendingCounts.key.next, MirrorBatch.key..<MirrorBatch.key.next,
        MirrorStore.positionKey..<MirrorStore.positionKey.next,
        MirrorQueries.key..<MirrorQueries.key.next, MirrorStore.selectionKey..<MirrorStore.selectionKey.next,
        MirrorStore.serverKey..<MirrorStore.serverKey.next,
    ]

    /// The keys of the records to read again.
    static let rereadKeys = StorageKey.all("mirror", "reread")

    private static func rereadKey(_ id: RecordID) -> StorageKey {
        StorageKey("mirror", "reread", id.zoneID.ownerName, id.zoneID.zoneName, id.recordName)
    }

    /// Returns the record of a key of ``rereadKeys`` or of ``WantedAssets/allKeys``.
    static func recordID(_ key: StorageKey) -> RecordID? {
        let names = key.names
        guard names.count == 5 else { return nil }
        return RecordID(recordName: names[4], zoneID: RecordZone.ID(zoneName: names[3], ownerName: names[2]))
    }

    /// Whether the records of the server's zone are not those of the local one.
    func isReplaced(_ id: RecordZone.ID) -> Bool { zones[id]?.isReplaced == true }

    /// Returns the mutations of the other entries.
    ///
    /// - Parameters:
    ///   - write: The transaction.
    ///   - ahead: The records whose fetched versions have to wait for an answer.
    ///   - counts: The numbers of pending changes of records, to which those of zones are added.
    func mutations(
        of write: MirrorWrite, _ ahead: [RecordID], _ counts: inout PendingCounts
    ) throws(CabinetError) -> [StorageMutation] {
        var (mutations, zones) = ([StorageMutation](), zones)
        if let batch = write.newBatch {
            mutations.append(.setEntry(MirrorBatch.key, try batch.text))
        } else if write.batch != nil {
            mutations.append(.setEntry(MirrorBatch.key, nil))
        }
        mutations += write.reread.map { .setEntry(Self.rereadKey($0), nil) }
        mutations += ahead.map { .setEntry(Self.rereadKey($0), "") }
        if let selection = write.selection {
            mutations += [.setEntry(MirrorStore.selectionKey, selection), .setEntry(MirrorStore.positionKey, nil)]
        }
        if let server = write.server { mutations.append(.setEntry(MirrorStore.serverKey, server)) }
        if let queries = write.queries {
            mutations.append(.setEntry(MirrorQueries.key, try StorageEntry.codedText(of: queries)))
        }
        if let position = write.position {
            if let place = position.place {
                mutations.append(.setEntry(MirrorStore.positionKey, try StorageEntry.codedText(of: place)))
            }
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
