public import Foundation

/// What the core does for a backend that cannot list its databases, keeps no assets, or has no files of its own.
extension StorageBackend {
    /// Refuses.
    public func databases() async throws -> [DatabaseKey] {
        throw CabinetError(.serverRejectedRequest, "This backend cannot list its databases.")
    }

    /// Refuses, so that no bytes are lost.
    public func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        throw CabinetError(
            .serverRejectedRequest,
            "This backend keeps no assets. Save the record without them, or use a backend that does.")
    }

    /// Gives no files: the core makes them of the bytes.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? { nil }

    /// Finds nothing to remove.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int { 0 }
}

extension StorageSnapshot {
    /// Finds none.
    public func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] { [] }

    /// Finds none.
    public func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] { checksums.map { _ in nil } }

    /// Finds none.
    public func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> { [] }

    /// Reads none.
    public func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? { nil }
}

extension StorageTransaction {
    /// Refuses: there is no upload.
    public func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        throw CabinetError(.serverRejectedRequest, "This backend keeps no assets.")
    }

    /// Removes none.
    public func removeAssets(_ checksums: [Asset.Checksum]) async throws {}
}
