public import Foundation

/// Reads the stored assets of one database.
public protocol StoredAssets: Sendable {
    /// Finds stored assets.
    ///
    /// Law: the result has one element for each checksum, in the same order, `nil` where there is no such asset.
    ///
    /// - Complexity: a look-up per checksum.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?]

    /// Lists stored assets.
    ///
    /// Law: those that ``StorageMutation/addAsset(_:uploadedAs:)`` has added and ``StorageMutation/removeAsset(_:)`` has not removed,
    /// whose checksums are greater than the given one, in ascending order, and of these the first `limit`.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that all must exceed, or `nil` for all.
    ///   - limit: The most assets to return; at least 1.
    /// - Complexity: in the number of assets returned.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset]

    /// Finds which assets records have.
    ///
    /// Law: those of the given checksums that a field of a stored record, or an element of a list in one, has.
    /// ``RecordFields/storedAssets`` are those of one record.
    ///
    /// - Parameter checksums: The checksums to look for, none twice.
    /// - Complexity: proportional to the number of checksums, not to the number of records, nor of those that have the asset.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum>

    /// Reads bytes of a stored asset.
    ///
    /// Law: exactly the bytes of the range, as long as the view is valid, even if the asset is removed meanwhile.
    ///
    /// - Parameters:
    ///   - checksum: The asset's checksum.
    ///   - range: Which bytes: a range within the asset's size, of at most a megabyte.
    /// - Returns: The bytes; `nil` if the asset is not stored, or its bytes are lost.
    /// - Complexity: in the number of bytes, wherever the range begins.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data?
}
