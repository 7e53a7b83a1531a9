import Cabinet
import Foundation

/// Assets are stored in the lines, in base64, and in memory.
extension StateView {
    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        let assets = state.assets
        return checksums.map { checksum in
            assets[checksum].map { StoredAsset(checksum: checksum, size: Int64($0.count)) }
        }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        let found = state.assets.keys.filter { each in checksum.map { each > $0 } ?? true }
        return assets(for: Array(found.sorted().prefix(limit))).compactMap(\.self)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        let holders = state.assetHolders
        return Set(checksums.filter { holders[$0] != nil })
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        state.assets[checksum].map { bytes in
            Data(bytes.prefix(Int(clamping: range.upperBound)).dropFirst(Int(clamping: range.lowerBound)))
        }
    }
}
