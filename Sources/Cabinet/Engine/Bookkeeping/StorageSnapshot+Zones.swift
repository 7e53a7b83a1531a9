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
    ///   - limit: The maximum number of changes to return; at least 1.
    /// - Returns: The changes in ascending order of their numbers. For a zone that was removed several times, the result has the
    ///   last removal. If a zone was added under its ID since, the result has that too.
    /// - Complexity: in the number of existing and removed zones, not of records.
    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] {
        let removals = try await allEntries(in: StoredZone.allRemovalKeys).map { entry -> StoredZoneChange in
            guard let id = RecordZone.ID(entry.key), let number = Int64(entry.text) else {
                throw CabinetError.damagedEntry(entry.key, entry.text)
            }
            return .deleted(id, sequenceNumber: number)
        }
        let changes = try await removals + zones(for: nil).map(StoredZoneChange.changed)
        return changes.filter { $0.sequenceNumber > number }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
            .prefix(limit).map(\.self)
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
