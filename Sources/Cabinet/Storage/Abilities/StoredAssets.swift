public import Foundation

/// An ability to read the stored assets of one database.
public protocol StoredAssets: Sendable {
    /// Finds stored assets.
    ///
    /// Law: the result has one element for each checksum, in the same order, `nil` if the asset is not stored.
    ///
    /// - Parameter checksums: The checksums of the assets.
    /// - Returns: The assets, or `nil` for those that are not stored.
    /// - Throws: The store's failures.
    /// - Complexity: a look-up per checksum.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?]

    /// Lists stored assets in the order of their checksums.
    ///
    /// Law: an asset is stored from ``StorageMutation/addAsset(_:uploadedAs:)`` to ``StorageMutation/removeAsset(_:)``. The
    /// result has the first `limit` stored assets whose checksums exceed the given one, in ascending order.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that all others exceed, or `nil` to begin with the first.
    ///   - limit: The maximum number of assets to return; at least 1.
    /// - Returns: The assets in ascending order of their checksums.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of assets returned.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset]

    /// Finds the assets that records have.
    ///
    /// Law: the result is the subset of `checksums` that some stored record has in a field, or in a list in a field.
    /// ``FieldValues/storedAssets`` returns those of one record.
    ///
    /// - Parameter checksums: The checksums to find, each once.
    /// - Returns: The checksums that are in use.
    /// - Throws: The store's failures.
    /// - Complexity: proportional to the number of checksums, independent of the number of records, also of those that have the
    ///   asset.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum>

    /// Reads bytes of a stored asset.
    ///
    /// Law: the result is exactly the bytes of the range while the view is valid, even if another transaction removes the asset.
    ///
    /// - Parameters:
    ///   - checksum: The asset's checksum.
    ///   - range: A range within the asset's size, of at most a megabyte.
    /// - Returns: The bytes; `nil` if the asset is not stored, or its bytes are lost.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of bytes, for any beginning of the range.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data?
}

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
