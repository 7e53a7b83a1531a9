/// The assets that transactions have left, which a cleanup removes if no record has them.
///
/// Each transaction stores them in an entry, and the cleanup deletes it. So the next cleanup does what that of a killed process could not.
package struct ReleasedAssets: Sendable {
    /// The assets; `nil` for all assets of the database.
    var assets: Set<Asset.Checksum>? = []

    /// The keys of the entries.
    var keys: [StorageKey] = []

    /// Whether an asset may await its removal.
    package func contains(_ checksum: Asset.Checksum) -> Bool { assets?.contains(checksum) ?? true }

    /// The maximum number of assets that an entry names; the text of one for more is empty, and means all.
    private static let namedLimit = 1_000

    /// The mutation that stores the assets of a transaction.
    ///
    /// - Parameters:
    ///   - assets: The assets, or `nil` for all.
    ///   - number: The last sequence number of the transaction.
    static func mutation(_ assets: Set<Asset.Checksum>?, number: Int64) -> StorageMutation {
        let names = assets.map { $0.count > namedLimit ? [] : $0.map(\.description).sorted() } ?? []
        return .setEntry(StorageKey("releasedAssets", StorageKey.name(number)), names.joined(separator: " "))
    }
}

extension StorageSnapshot {
    /// Finds the assets that await their removal.
    package func releasedAssets() async throws -> ReleasedAssets {
        var released = ReleasedAssets()
        for entry in try await allEntries(in: StorageKey.all("releasedAssets")) {
            let found = entry.text.split(separator: " ").compactMap { Asset.Checksum(hexadecimal: $0) }
            released.assets = found.isEmpty ? nil : released.assets?.union(found)
            released.keys.append(entry.key)
        }
        return released
    }
}
