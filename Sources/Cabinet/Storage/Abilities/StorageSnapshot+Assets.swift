import Foundation

/// Access to assets, which a backend can lack.
extension StorageSnapshot {
    /// Finds stored assets; a backend without assets finds none.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await abilities.assets?.assets(for: checksums) ?? checksums.map { _ in nil }
    }

    /// Lists stored assets whose checksums are greater than the given one.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await abilities.assets?.assets(after: checksum, limit: limit) ?? []
    }

    /// Returns the checksums that some stored record has.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await abilities.assets?.assetsInUse(among: checksums) ?? []
    }

    /// Reads bytes of a stored asset; `nil` if they are not stored.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await abilities.assets?.bytes(of: checksum, in: range)
    }
}
