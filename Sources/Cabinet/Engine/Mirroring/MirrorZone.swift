/// The state of one zone of a mirror: an entry beside that of the zone.
package struct MirrorZone: Sendable {
    /// The zone.
    private(set) package var zoneID: RecordZone.ID

    /// The position in the server's changes up to which the zone is fetched; `nil` before the first page.
    ///
    /// A deletion keeps it: by its position, a zone that another client has created again is recognized.
    package var position: FeedPosition?

    /// Whether the server has changes that were not fetched.
    package var isStale = false

    /// The last local number before a fetch of the whole zone again; `nil` if none is under way.
    ///
    /// Local records with lower numbers that the server no longer has are deleted at its end.
    package var rebuildStart: Int64?

    /// The number of records that this fetch of the whole zone has brought so far.
    package var fetchedCount: Int64 = 0

    /// Whether the server has deleted the zone while changes were pending in it, so that it remains here for the program's decision.
    package var isLost = false

    /// The local creation or deletion of the zone that was not sent.
    package var change: Change?

    /// The number of the transaction of the change.
    package var number: Int64 = 0

    /// The error for which the change is set aside.
    package var error: CabinetError?

    /// A change of a zone.
    package enum Change: String, Sendable {
        /// The zone was created.
        case save
        /// The zone was deleted.
        case delete
        /// The zone was deleted, and the server is not known to have it.
        case retract
        /// The zone was deleted and created again.
        case recreate
    }
}

extension MirrorZone {
    /// Creates a zone of which nothing is known.
    package init(zoneID: RecordZone.ID) {
        self.zoneID = zoneID
    }

    /// The keys of all zones.
    static let allKeys = StorageKey.all("mirror", "zone")

    /// The key of a zone's entry.
    static func key(_ id: RecordZone.ID) -> StorageKey { StorageKey("mirror", "zone", id.ownerName, id.zoneName) }

    /// Reads a zone from its entry; a zone without one is not known yet.
    init(_ zoneID: RecordZone.ID, text: String?) throws(CabinetError) {
        self.init(zoneID: zoneID)
        guard let text else { return }
        self = try StorageEntry(key: Self.key(zoneID), text: text).codedValue()
        self.zoneID = zoneID
    }

    /// Reads a zone from its entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        guard let zoneID = RecordZone.ID(entry.key) else { throw .damagedEntry(entry.key, entry.text) }
        try self.init(zoneID, text: entry.text)
    }

    /// Whether the zone of the server is to be deleted, so that its records are not those of the local zone.
    package var isReplaced: Bool { change.map { $0 != .save } ?? false }

    /// Whether a change is pending, and whether it is set aside.
    var pending: (isPending: Bool, isSetAside: Bool) { (change != nil, change != nil && error != nil) }

    /// The mutation that stores the zone.
    var mutation: StorageMutation {
        get throws(CabinetError) {
            // Nothing is known of a zone that was deleted on both sides.
            if position == nil, !isStale, rebuildStart == nil, !isLost, change == nil {
                return .setEntry(Self.key(zoneID), nil)
            }
            return .setEntry(Self.key(zoneID), try StorageEntry.codedText(of: self))
        }
    }
}

extension MirrorZone: CodedObject {
    init() { self.init(zoneID: .default) }

    /// Codes all but the zone, which the key of the entry names.
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var (count, isLoss, name) = (
            rebuildStart == nil ? nil : fetchedCount, isLost ? true : nil as Bool?, change?.rawValue
        )
        try coder.part("position", &position)
        try coder.part("isStale", &isStale)
        try coder.part("rebuildStart", &rebuildStart)
        try coder.part("fetchedCount", &count)
        try coder.part("isLost", &isLoss)
        try coder.part("change", &name)
        try coder.part("number", &number)
        try coder.part("error", &error)
        // Room for further records, because the stored number may be damaged.
        fetchedCount = Int64(Int32(clamping: count ?? 0))
        (isLost, change) = (isLoss ?? false, name.flatMap(Change.init))
    }
}

extension MirrorZone {
    /// Returns the mutations by which a mirror remembers that zones are created and deleted here.
    ///
    /// - Parameters:
    ///   - new: The zones to create.
    ///   - old: The zones to delete; what is pending in them goes with them.
    ///   - number: The number of the transaction.
    ///   - transaction: The transaction.
    static func mutations(
        creating new: [RecordZone.ID], deleting old: [RecordZone.ID], number: Int64,
        in transaction: any StorageTransaction
    ) async throws -> [StorageMutation] {
        let ids = old + new
        let texts = try await transaction.load(StorageKeys(entries: [PendingCounts.key] + ids.map(key))).entries
        var counts = try PendingCounts(text: texts.first ?? nil)
        var mutations: [StorageMutation] = []
        for (position, id) in ids.enumerated() {
            var zone = try MirrorZone(id, text: texts[position + 1])
            let before = zone.pending
            if position < old.count {
                for entry in try await transaction.allEntries(in: PendingChange.keys(in: id)) {
                    counts.replace(try PendingChange(entry), by: nil)
                    mutations.append(.setEntry(entry.key, nil))
                }
                let isUnknown = zone.change == .save || zone.change == .retract || zone.isLost
                let position = zone.position
                zone = MirrorZone(zoneID: id)
                (zone.position, zone.number) = (position, number)
                zone.change = isUnknown && position == nil ? .retract : .delete
            } else {
                if zone.change == .retract { zone.position = nil }
                zone.change = zone.change == .delete ? .recreate : .save
                zone.number = number
                zone.error = nil
                zone.isLost = false
            }
            counts.replace(before, by: zone.pending)
            mutations.append(try zone.mutation)
        }
        return mutations + [counts.mutation]
    }
}

extension StorageSnapshot {
    /// Throws ``CabinetError/Code/zoneBusy`` if a change is pending in one of some zones that the server of a mirror has deleted.
    func checkNothingIsPending(in zoneIDs: [RecordZone.ID]) async throws {
        for id in zoneIDs where try await !entries(in: PendingChange.keys(in: id), limit: 1).isEmpty {
            throw CabinetError(.zoneBusy, "Changes were made in the zone '\(id)', which the server has deleted.")
        }
    }
}
