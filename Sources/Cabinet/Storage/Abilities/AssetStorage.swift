public import Foundation

/// Keeps the bytes of assets.
///
/// A backend that has this ability has ``SnapshotAbilities/assets`` in its views, and applies ``StorageMutation/addAsset(_:uploadedAs:)``
/// and ``StorageMutation/removeAsset(_:)``.
public protocol AssetStorage: Sendable {
    /// Begins to take in the bytes of an asset.
    ///
    /// Law: what ``AssetUpload`` says. Several uploads are under way at once, of the same bytes too.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Throws: The store's failures.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload

    /// Returns files with the bytes of stored assets, if the store has its bytes in files.
    ///
    /// The core asks in the closure of the read that has found the assets.
    ///
    /// Law: an asset that the read has found gets its file, even if it is removed meanwhile. The file has the asset's bytes and stays as it
    /// is until the backend is closed.
    ///
    /// - Parameters:
    ///   - assets: The assets, none twice.
    ///   - database: The database that they belong to.
    /// - Returns: For each asset its file, or `nil` if the store has lost its bytes; or `nil` if the store has no files: then the core
    ///   reads the bytes with ``StoredAssets/bytes(of:in:)`` into files of its own.
    /// - Complexity: in the number of assets, not of their bytes.
    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]?

    /// Removes what interrupted processes have left of assets: bytes that no transaction has added, and bytes of removed assets.
    ///
    /// Law: no reader, no record and no upload that is under way misses anything. May run at any time, and beside itself.
    ///
    /// - Parameter database: The database whose assets to look at.
    /// - Returns: How many files, or what the store has instead, were removed; 0 if an interrupted process leaves nothing.
    /// - Complexity: in the number of assets; operators call it now and then, the core never does.
    @discardableResult
    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int
}
