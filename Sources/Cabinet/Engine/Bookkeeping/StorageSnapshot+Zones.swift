import Foundation

extension StorageSnapshot {
    /// Finds zones.
    ///
    /// - Parameter ids: The IDs of the zones to find, or `nil` for all. The default zone exists once something has changed in it.
    package func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] {
        guard let ids else { return try await allEntries(in: StoredZone.allKeys).map { try StoredZone($0) } }
        if ids.isEmpty { return [] }
        let keys = ids.map(StoredZone.key)
        let texts = try await load(StorageKeys(entries: keys)).entries
        return try zip(keys, texts).compactMap { key, text in
            try text.map { try StoredZone(StorageEntry(key: key, text: $0)) }
        }
    }

    /// Returns the number with which the database's changes begin: 0, unless it was copied from another store.
    ///
    /// Change tokens with lower numbers have expired.
    package func beginning() async throws -> Int64 {
        try await zones(for: [.default]).first?.creationNumber ?? 0
    }

    /// Reads the latest changes and removals of zones.
    ///
    /// - Parameters:
    ///   - number: The number that all changes exceed.
    ///   - horizon: The number that all removals exceed too: a client that begins needs no earlier ones.
    ///   - limit: The maximum number of changes to return; at least 1.
    /// - Returns: The changes in ascending order of their numbers; `nil` if some of the removals were forgotten. For a zone that was
    ///   removed several times, the result has the last removal. If a zone was added under its ID since, the result has that too.
    /// - Complexity: in the number of existing zones and of the removals, not of records or of earlier removals.
    func zoneChanges(
        after number: Int64, removalsAfter horizon: Int64 = 0, limit: Int
    ) async throws -> [StoredZoneChange]? {
        let start = max(number, horizon)
        var removals: [ZoneRemoval] = []
        var zones: [StoredZone] = []
        for entry in try await allEntries(in: ZoneRemoval.earlierKeysWithZones) {
            if entry.key == ZoneRemoval.expirationKey {
                if try entry.number() > start { return nil }
            } else if StoredZone.allKeys.contains(entry.key) {
                zones.append(try StoredZone(entry))
            } else {
                removals.append(try ZoneRemoval(earlier: entry))
            }
        }
        removals = removals.filter { $0.sequenceNumber > start }
        removals += try await self.removals(after: start, limit: limit)
        let changes =
            removals.map { StoredZoneChange.deleted($0.zoneID, sequenceNumber: $0.sequenceNumber) }
            + zones.filter { $0.changeNumber > number }.map(StoredZoneChange.changed)
        return changes.sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit).map(\.self)
    }

    /// Reads all entries in a range, page by page.
    func allEntries(in range: Range<StorageKey>) async throws -> [StorageEntry] {
        var found: [StorageEntry] = []
        var rest = range
        while true {
            let page = try await entries(in: rest, limit: 1000)
            found += page
            guard page.count == 1000, let last = page.last else { return found }
            rest = last.key.next..<range.upperBound
        }
    }
}

extension StorageKey {
    /// The first key after this one.
    package var next: StorageKey { StorageKey(text + " ") }
}

extension StorageSnapshot {
    /// Returns the mutations that forget the first deletions in a zone.
    ///
    /// - Parameters:
    ///   - zoneID: The zone, which may be deleted by now.
    ///   - number: The sequence number of the last deletion to forget.
    func mutations(
        forgettingIn zoneID: RecordZone.ID, through number: Int64
    ) async throws -> [StorageMutation] {
        guard var zone = try await zones(for: [zoneID]).first else { return [] }
        zone.expirationNumber = max(zone.expirationNumber, number)
        let moves = ShareMove.keys(in: zoneID).lowerBound..<ShareMove.key(number, in: zoneID).next
        return [.forgetDeletions(in: zoneID, through: number), zone.mutation]
            + (try await allEntries(in: moves)).map { .setEntry($0.key, nil) }
    }
}
