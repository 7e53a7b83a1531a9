/// A record whose assets are to be fetched at once: an entry beside it.
///
/// The transaction that stores a record with new assets stores the entry too, so no interruption loses it.
package struct WantedAssets: Sendable {
    /// The record.
    package let recordID: RecordID

    /// Its assets whose bytes the store lacks; none if the record does not exist any more.
    package let missing: [StoredAsset]

    /// The entry, whose text is the number of the transaction that has stored the assets.
    fileprivate let entry: StorageEntry

    /// The keys of all entries.
    static let allKeys = StorageKey.all("mirror", "assets")

    private static func key(_ id: RecordID) -> StorageKey {
        StorageKey("mirror", "assets", id.zoneID.ownerName, id.zoneID.zoneName, id.recordName)
    }

    /// Returns the mutations of the entries that a transaction has, and whether there are some after it.
    ///
    /// - Parameters:
    ///   - write: The transaction.
    ///   - plan: The changes of its records.
    ///   - number: Its number.
    ///   - policy: The decisions of the program.
    ///   - transaction: The transaction of the store.
    static func mutations(
        of write: MirrorWrite, _ plan: BatchPlan, number: Int64, _ policy: MirrorPolicy,
        in transaction: any StorageTransaction
    ) async throws -> (mutations: [StorageMutation], remain: Bool) {
        guard policy.fetchesAssets else { return ([], false) }
        let insertions = plan.insertions.filter(\.record.fields.hasAssets).map(\.record.recordID)
        let updates = plan.updates.filter { update in
            !update.record.fields.storedAssets.isSubset(of: update.replaced.fields.storedAssets)
        }.map(\.record.recordID)
        let new = insertions + updates
        let ended = write.endedAssets.map(\.entry)
        let texts = try await ended.isEmpty ? [] : transaction.load(StorageKeys(entries: ended.map(\.key))).entries
        // A later version of the record may have other assets.
        let removed = Set(zip(ended, texts).filter { $0.text == $1 }.map(\.0.key))
        let first = try await transaction.entries(in: allKeys, limit: removed.count + 1)
        return (
            removed.map { .setEntry($0, nil) } + new.map { .setEntry(key($0), "\(number)") },
            !new.isEmpty || first.contains { !removed.contains($0.key) }
        )
    }
}

extension MirrorPolicy {
    /// Whether assets are missing that are to be fetched at once.
    func lacksAssets(_ snapshot: any StorageSnapshot) async throws -> Bool {
        try await fetchesAssets ? !snapshot.entries(in: WantedAssets.allKeys, limit: 1).isEmpty : false
    }
}

extension MirrorStore {
    /// Reads records whose assets are to be fetched at once, in the order of their keys.
    ///
    /// - Parameters:
    ///   - last: The record after which to begin; `nil` for the beginning.
    ///   - limit: The maximum number of records.
    package func wantedAssets(after last: WantedAssets?, limit: Int) async throws -> [WantedAssets] {
        try await handler.read(database) { snapshot in
            var range = WantedAssets.allKeys
            if let last { range = last.entry.key.next..<range.upperBound }
            let entries = try await snapshot.entries(in: range, limit: limit)
            if entries.isEmpty { return [] }
            let ids = try entries.map { entry in
                guard let id = MirrorEntries.recordID(entry.key) else {
                    throw CabinetError.damagedEntry(entry.key, entry.text)
                }
                return id
            }
            let assets = try await snapshot.load(StorageKeys(records: ids)).records.map {
                $0?.fields.storedAssets ?? []
            }
            let checksums = Set(assets.joined().map(\.checksum))
            let stored = Set(try await snapshot.assets(for: Array(checksums)).compactMap { $0?.checksum })
            return entries.indices.map { position in
                WantedAssets(
                    recordID: ids[position],
                    missing: assets[position].filter { !stored.contains($0.checksum) },
                    entry: entries[position])
            }
        }
    }
}
