public import Foundation

/// An ability to store the bytes of assets.
///
/// A backend with this ability has ``SnapshotAbilities/assets`` in its views, and applies
/// ``StorageMutation/addAsset(_:uploadedAs:)`` and ``StorageMutation/removeAsset(_:)``.
public protocol AssetStorage: Sendable {
    /// Begins the upload of an asset's bytes.
    ///
    /// Law: the result obeys the laws of ``AssetUpload``. Several uploads can be in progress at the same time, also of the same
    /// bytes.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Returns: A new upload without bytes.
    /// - Throws: The store's failures.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload

    /// Returns files with the bytes of stored assets, if the store has its bytes in files.
    ///
    /// The core calls this in the closure of the read that has found the assets.
    ///
    /// Law: an asset that the read has found has a file, even if another transaction removes the asset during the call. The file
    /// has the asset's bytes and does not change until the backend is closed.
    ///
    /// - Parameters:
    ///   - assets: The assets, each once.
    ///   - database: The database that they belong to.
    /// - Returns: The file of each asset, or `nil` for an asset whose bytes the store has lost. The whole result is `nil` if the
    ///   store has no files: the core then reads the bytes with ``StoredAssets/bytes(of:in:)`` into files of its own.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of assets, not of their bytes.
    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]?

    /// Removes asset bytes that interrupted processes have left: bytes that no transaction has added, and bytes of removed
    /// assets.
    ///
    /// Law: afterwards every record, view and upload in progress still has its bytes. Calls can run at any time, also
    /// concurrently.
    ///
    /// - Parameter database: The database whose assets to collect.
    /// - Returns: The number of removed files, or of the store's equivalent; 0 if interrupted processes leave no bytes.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of assets. Operators call this now and then; the core never does.
    @discardableResult
    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int
}
