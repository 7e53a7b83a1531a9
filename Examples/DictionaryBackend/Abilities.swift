public import Cabinet
import Foundation

extension DictionaryBackend: DatabaseListing {
    /// Signals, the list of databases, and assets.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Lists the databases that were written.
    public func databases() throws -> [DatabaseKey] {
        Array(try openContents().keys)
    }
}

extension View: StoredAssets {
    var abilities: SnapshotAbilities { SnapshotAbilities(assets: self) }

    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        let assets = content.assets
        return checksums.map { checksum in
            assets[checksum].map { StoredAsset(checksum: checksum, size: Int64($0.count)) }
        }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        let found = content.assets.keys.filter { each in checksum.map { each > $0 } ?? true }
        return assets(for: Array(found.sorted().prefix(limit))).compactMap(\.self)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        let held = content.records.values.flatMap(\.fields.storedAssets).map(\.checksum)
        return Set(checksums).intersection(held)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        content.assets[checksum].map { bytes in
            Data(bytes.prefix(Int(clamping: range.upperBound)).dropFirst(Int(clamping: range.lowerBound)))
        }
    }
}
