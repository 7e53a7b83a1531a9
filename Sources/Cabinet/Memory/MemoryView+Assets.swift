import Foundation

/// Assets, as one transaction sees them.
extension MemoryView {
    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        Set(content.assets.keys).union(changes.assets.keys)
            .filter { each in checksum.map { each > $0 } ?? true }
            .sorted()
            .lazy.compactMap(asset).prefix(limit).map(\.self)
    }

    func asset(_ checksum: Asset.Checksum) -> StoredAsset? {
        bytes(of: checksum).map { StoredAsset(checksum: checksum, size: Int64($0.count)) }
    }

    func bytes(of checksum: Asset.Checksum) -> Data? {
        if let change = changes.assets[checksum] { return change }
        return content.assets[checksum]
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        let changed = changes.records.values.compactMap { $0?.record }
            .reduce(into: Set()) { $0.formUnion($1.fields.storedAssets.map(\.checksum)) }
        return Set(checksums).filter { checksum in
            changed.contains(checksum)
                || content.assetHolders[checksum]?.contains { changes.records[$0] == nil } == true
        }
    }
}

extension MemorySnapshot {
    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        view.assets(after: checksum, limit: limit)
    }

    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        checksums.map(view.asset)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        view.assetsInUse(among: checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        guard let bytes = view.bytes(of: checksum) else { return nil }
        let start = Int(clamping: max(range.lowerBound, 0))
        let end = Int(clamping: max(range.upperBound, 0))
        return Data(bytes.prefix(end).dropFirst(start))
    }
}
