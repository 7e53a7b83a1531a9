extension StoredZone {
    /// The keys of all zones.
    static let allKeys = StorageKey.all("database", "zone")

    /// The key of a zone's entry.
    static func key(_ id: RecordZone.ID) -> StorageKey {
        // Nearly every save is in the default zone, so its key is created once.
        id == .default ? defaultKey : StorageKey("database", "zone", id.ownerName, id.zoneName)
    }

    private static let defaultKey = StorageKey(
        "database", "zone", RecordZone.ID.default.ownerName, RecordZone.ID.default.zoneName)

    /// Reads a zone from its entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        guard let zoneID = RecordZone.ID(entry.key) else { throw .damagedEntry(entry.key, entry.text) }
        try self.init(zoneID, text: entry.text)
    }

    /// Reads the zone with an ID from the text of its entry.
    init(_ zoneID: RecordZone.ID, text: String) throws(CabinetError) {
        var reader = EntryReader(text)
        guard let creation = reader.number(), let change = reader.number(), let expiration = reader.number() else {
            throw .damagedEntry(Self.key(zoneID), text)
        }
        self.init(
            zoneID: zoneID, creatorName: reader.rest(), creationNumber: creation, changeNumber: change,
            expirationNumber: expiration)
    }

    /// Returns the state of a zone from its entry; `nil` if the zone does not exist.
    ///
    /// The default zone exists also before its first change stores it. Only a loaded entry can say so: one that is stored has the
    /// numbers by which change tokens expire.
    static func loaded(_ zoneID: RecordZone.ID, _ text: String?) throws(CabinetError) -> StoredZone? {
        if let text { return try StoredZone(zoneID, text: text) }
        guard zoneID == .default else { return nil }
        return StoredZone(zoneID: zoneID, creatorName: "", creationNumber: 0, changeNumber: 0)
    }

    /// Returns the mutations that remove a zone with its records.
    static func removal(of id: RecordZone.ID) -> [StorageMutation] {
        [.eraseZone(id), .setEntry(key(id), nil), .setEntry(ZoneKeys.key(id), nil)]
    }

    /// The mutation that stores the zone.
    var mutation: StorageMutation {
        .setEntry(Self.key(zoneID), "\(creationNumber) \(changeNumber) \(expirationNumber) \(creatorName)")
    }
}

extension RecordZone.ID {
    /// The zone of a key of ``StoredZone``.
    package init?(_ key: StorageKey) {
        let names = key.names
        guard names.count == 4 else { return nil }
        self.init(zoneName: names[3], ownerName: names[2])
    }
}
