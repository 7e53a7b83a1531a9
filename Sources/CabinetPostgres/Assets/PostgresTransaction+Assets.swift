import Cabinet
import Foundation

extension PostgresTransaction {
    func assets(after checksum: Asset.Checksum?, limit: Int) throws -> [StoredAsset] {
        try session.use { try $0.assets(after: checksum, limit: limit) }
    }

    func assets(for checksums: [Asset.Checksum]) throws -> [StoredAsset?] {
        try session.use { try $0.assets(for: checksums) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) throws -> Set<Asset.Checksum> {
        try session.use { try $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) throws -> Data? {
        try session.use { try $0.bytes(of: checksum, in: range) }
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) throws {
        try session.change { try $0.add(asset, uploadedAs: id) }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) throws {
        try session.change { try $0.removeAssets(checksums) }
    }
}
