import Foundation

/// The core's use of abilities, which a backend may lack.
extension StorageBackend {
    /// Begins to take in the bytes of an asset, or refuses, so that no bytes are lost.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        guard let assets = abilities.assets else {
            throw CabinetError(
                .serverRejectedRequest,
                "This backend keeps no assets. Save the record without them, or use a backend that does.")
        }
        return try await assets.beginUpload(to: database)
    }

    /// Signals when a database may have changed; a backend without signals is polled.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        abilities.signals?.changeSignals(of: database) ?? polledSignals(of: database, every: .milliseconds(250))
    }
}

extension StorageSnapshot {
    /// Finds stored assets; a backend that keeps none finds none.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await abilities.assets?.assets(for: checksums) ?? checksums.map { _ in nil }
    }

    /// Lists stored assets whose checksums are greater than the given one.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await abilities.assets?.assets(after: checksum, limit: limit) ?? []
    }

    /// Finds which assets records have.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await abilities.assets?.assetsInUse(among: checksums) ?? []
    }

    /// Reads bytes of a stored asset; `nil` if they are not stored.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await abilities.assets?.bytes(of: checksum, in: range)
    }
}
