/// The zone that a share's URL leads to, as an entry of the public database, under a hash of the URL.
///
/// The entry is stored before the share, and outlives it. It grants nothing: the share itself says who may open it.
struct ShareURLEntry: Sendable, Hashable {
    /// The zone, with the owner's name.
    let zoneID: RecordZone.ID

    /// The key of a URL's entry.
    static func key(_ url: ShareURL) -> StorageKey { StorageKey("share", "url", url.hash) }

    init(zoneID: RecordZone.ID) {
        self.zoneID = zoneID
    }

    /// Reads an entry.
    init(text: String) throws(CabinetError) {
        let key = StorageKey(text)
        guard key.names.count == 2 else { throw .damagedEntry(key, text) }
        zoneID = RecordZone.ID(zoneName: key.names[1], ownerName: key.names[0])
    }

    /// The text of the entry.
    var text: String { StorageKey(zoneID.ownerName, zoneID.zoneName).text }
}

/// The entry of a zone that has the part of its share's URL, so that the URL outlives the share.
enum ShortGUIDEntry {
    /// The key of a zone's entry, in the owner's private database.
    static func key(_ zoneID: RecordZone.ID) -> StorageKey { StorageKey("share", "guid", zoneID.zoneName) }
}

extension LocalRequestHandler {
    /// Returns the parts of URLs for the shares that a request saves, after each is found under its hash.
    ///
    /// A zone without one gets it in a transaction of its own, before the share is saved.
    func shortGUIDs(for request: ModifyRecordsRequest, in database: DatabaseKey) async throws -> [RecordZone.ID: String]
    {
        var shortGUIDs: [RecordZone.ID: String] = [:]
        // A participant changes only shares that are stored, and have their URL.
        guard route == nil, case .private(let owner) = database else { return shortGUIDs }
        let zoneIDs = Set(request.recordsToSave.filter { ShareRule.isShare($0.recordType) }.map(\.recordID.zoneID))
        for zoneID in zoneIDs where zoneID != .default {
            guard let url = try await shareURL(of: zoneID, in: database) else { continue }
            let key = ShareURLEntry.key(url)
            let entry = ShareURLEntry(zoneID: RecordZone.ID(zoneName: zoneID.zoneName, ownerName: owner))
            let known = try await read(.public) { try await $0.load(StorageKeys(entries: [key])).entries.first ?? nil }
            if known != entry.text {
                try await write(.public) { transaction, _ in
                    try await transaction.apply([.setEntry(key, entry.text)])
                }
            }
            shortGUIDs[zoneID] = url.shortGUID
        }
        return shortGUIDs
    }

    /// Returns the URL of a zone's share, which stays the same as long as the zone exists; `nil` without the zone.
    private func shareURL(of zoneID: RecordZone.ID, in database: DatabaseKey) async throws -> ShareURL? {
        let keys = StorageKeys(entries: [StoredZone.key(zoneID), ShortGUIDEntry.key(zoneID)])
        @Sendable func stored(_ values: StorageValues) throws(CabinetError) -> (exists: Bool, url: ShareURL?) {
            guard values.entries.count == 2, values.entries[0] != nil else { return (false, nil) }
            guard let text = values.entries[1] else { return (true, nil) }
            guard let url = ShareURL(shortGUID: text) else { throw .damagedEntry(ShortGUIDEntry.key(zoneID), text) }
            return (true, url)
        }
        let found = try stored(try await read(database) { try await $0.load(keys) })
        if !found.exists || found.url != nil { return found.url }
        return try await write(database) { transaction, _ in
            // Another request may have stored one since.
            let found = try stored(try await transaction.load(keys))
            if !found.exists || found.url != nil { return found.url }
            let url = ShareURL.random()
            try await transaction.apply([.setEntry(ShortGUIDEntry.key(zoneID), url.shortGUID)])
            return url
        }
    }
}
