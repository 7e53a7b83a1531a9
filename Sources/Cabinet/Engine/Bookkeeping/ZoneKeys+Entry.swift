/// The keys of a zone's encrypted values are an entry beside that of the zone: JSON, as it crosses the service seam.
extension ZoneKeys {
    /// The keys of all entries.
    static let allKeys = StorageKey.all("database", "zoneKeys")

    /// The key of a zone's entry.
    static func key(_ id: RecordZone.ID) -> StorageKey {
        StorageKey("database", "zoneKeys", id.ownerName, id.zoneName)
    }

    /// Reads the keys of a zone from the text of its entry; a zone without one has none.
    init(_ zoneID: RecordZone.ID, text: String?) throws(CabinetError) {
        guard let text else {
            self.init(zoneID: zoneID)
            return
        }
        do {
            self = try Self.coding.decode(Array(text.utf8))
        } catch {
            throw .damagedEntry(Self.key(zoneID), text)
        }
        if self.zoneID != zoneID { throw .damagedEntry(Self.key(zoneID), text) }
    }

    /// The mutation that stores the keys.
    var mutation: StorageMutation {
        get throws(CabinetError) {
            .setEntry(Self.key(zoneID), String(decoding: try Self.coding.encode(self), as: UTF8.self))
        }
    }
}

extension StorageSnapshot {
    /// Returns the keys of zones.
    func keys(of zoneIDs: [RecordZone.ID]) async throws -> [ZoneKeys] {
        let texts = try await load(StorageKeys(entries: zoneIDs.map(ZoneKeys.key))).entries
        return try zip(zoneIDs, texts).map { try ZoneKeys($0, text: $1) }
    }
}
