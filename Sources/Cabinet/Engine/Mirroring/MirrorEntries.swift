/// The entries of a mirror that a transaction reads.
struct MirrorEntries {
    private(set) var counts: PendingCounts
    let lease: String?
    /// The changes whose request was not answered.
    let sent: [RecordID: SentChange]
    /// The fetched versions of the records of the request that is answered now.
    let waiting: [MirrorEvent]
    private(set) var changes: [RecordID: PendingChange] = [:]
    private var zones: [RecordZone.ID: MirrorZone] = [:]

    init(_ write: MirrorWrite, _ index: BatchIndex, in transaction: any StorageTransaction) async throws {
        let keys = index.ids.map(PendingChange.key)
        let zoneIDs = Array(Set((write.zone.map { [$0.id] } ?? []) + (write.position?.staleZones ?? [])))
        let first = [PendingCounts.key, MirrorLease.key, MirrorBatch.key]
        let later = write.batch == nil ? [] : index.ids.map(WaitingVersion.key)
        let texts = try await transaction.load(
            StorageKeys(entries: first + keys + zoneIDs.map(MirrorZone.key) + later)
        ).entries
        counts = try PendingCounts(text: texts[0])
        lease = texts[1]
        let batch: MirrorBatch? = try texts[2].map { text throws(CabinetError) in
            try StorageEntry(key: MirrorBatch.key, text: text).codedValue()
        }
        sent = batch?.sent ?? [:]
        for (key, text) in zip(keys, texts.dropFirst(first.count)) {
            guard let text else { continue }
            let change = try PendingChange(StorageEntry(key: key, text: text))
            changes[change.recordID] = change
        }
        for (id, text) in zip(zoneIDs, texts.dropFirst(first.count + keys.count)) {
            zones[id] = try MirrorZone(id, text: text)
        }
        waiting = try zip(index.ids, texts.suffix(later.count)).compactMap { id, text in
            try text.map { try WaitingVersion(id, text: $0).event }
        }
    }

    /// Whether the records of the server's zone are not those of the local one.
    func isReplaced(_ id: RecordZone.ID) -> Bool { zones[id]?.isReplaced == true }

    /// Returns the mutations of the other entries.
    ///
    /// - Parameters:
    ///   - write: The transaction.
    ///   - ahead: The fetched versions that have to wait for an answer.
    ///   - counts: The numbers of pending changes of records.
    func mutations(
        of write: MirrorWrite, _ ahead: [RecordID: MirrorEvent], _ counts: PendingCounts
    ) throws(CabinetError) -> [StorageMutation] {
        var (mutations, counts, zones) = ([StorageMutation](), counts, zones)
        if let batch = write.newBatch {
            mutations.append(.setEntry(MirrorBatch.key, try StorageEntry.codedText(of: batch)))
        } else if write.batch != nil {
            mutations.append(.setEntry(MirrorBatch.key, nil))
        }
        for event in waiting { mutations.append(.setEntry(WaitingVersion.key(event.recordID), nil)) }
        for (id, event) in ahead {
            mutations.append(.setEntry(WaitingVersion.key(id), try WaitingVersion(event).text))
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

/// A version of the server that was fetched while a change of its record was on the way.
struct WaitingVersion: CodedObject {
    private var record: Record?
    private var id = RecordID(recordName: "")

    init() {}

    /// Creates the version of an event.
    init(_ event: MirrorEvent) {
        id = event.recordID
        if case .saved(let server) = event { record = server }
    }

    /// Reads the version from the text of its entry.
    init(_ id: RecordID, text: String) throws(CabinetError) {
        self = try StorageEntry(key: Self.key(id), text: text).codedValue()
        self.id = id
    }

    static func key(_ id: RecordID) -> StorageKey {
        StorageKey("mirror", "waiting", id.zoneID.ownerName, id.zoneID.zoneName, id.recordName)
    }

    var event: MirrorEvent { record.map(MirrorEvent.saved) ?? .deleted(id) }

    var text: String { get throws(CabinetError) { try StorageEntry.codedText(of: self) } }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("record", &record)
    }
}
