public import Cabinet
import Foundation

extension DictionaryBackend: DatabaseListing {
    /// Signals, the list of databases, and assets.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Lists the databases that were written.
    public func databases() throws -> [DatabaseKey] {
        Array(try allContents().keys)
    }
}

extension View: StoredAssets {
    var abilities: SnapshotAbilities { SnapshotAbilities(assets: self) }

    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        checksums.map { checksum in
            let size = content.assets[checksum].map { Int64($0.count) }
            return size.map { StoredAsset(checksum: checksum, size: $0) }
        }
    }

    func assets(after last: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        let all = content.assets.keys.sorted()
        let later = all.filter { each in last.map { each > $0 } ?? true }
        return assets(for: Array(later.prefix(limit))).compactMap(\.self)
    }

    func assetsInUse(among asked: [Asset.Checksum]) -> Set<Asset.Checksum> {
        let used = content.records.values.flatMap(\.fields.storedAssets)
        return Set(asked).intersection(used.map(\.checksum))
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        let start = Int(clamping: range.lowerBound)
        let bytes = content.assets[checksum]?.dropFirst(start)
        return bytes.map { Data($0.prefix(range.count)) }
    }
}
