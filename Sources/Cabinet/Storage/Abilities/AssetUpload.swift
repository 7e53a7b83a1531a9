public import Foundation

/// The transfer of an asset's bytes into a store.
///
/// The core reads the file of a record's asset before it begins the transaction that saves the record, and appends the bytes to
/// an upload in parts. After the last part, it finishes the upload. A transaction then adds the asset with
/// ``StorageMutation/addAsset(_:uploadedAs:)``. The core ends the upload after the commit, or if the record cannot be saved.
///
/// The core makes one call at a time, on an executor that may block.
///
/// Law: no reader finds the bytes before a transaction that adds them has committed. An upload whose process died leaves only
/// bytes that ``AssetStorage/removeAbandonedAssets(from:)`` removes. No other process removes the bytes of an upload in progress.
public protocol AssetUpload: Sendable {
    /// The ID by which ``StorageMutation/addAsset(_:uploadedAs:)`` names the upload.
    ///
    /// Law: no two uploads have the same ID.
    var id: UUID { get }

    /// Takes all bytes of a file at once, if the store can share the file's blocks instead of copying them.
    ///
    /// Law: afterwards the upload has either all bytes of the file or none. If it has all, the core does not append to it.
    ///
    /// - Parameter file: The file of an asset.
    /// - Returns: A file with the bytes that the upload has, independent of later changes of `file`; `nil` if the core must
    ///   append the bytes.
    /// - Throws: The store's failures.
    func clone(_ file: URL) async throws -> URL?

    /// Appends bytes.
    ///
    /// Law: the upload has these bytes after those that it had before.
    ///
    /// - Parameter bytes: The next bytes, at most a megabyte.
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the store is full, and the store's other failures.
    func append(_ bytes: Data) async throws

    /// Makes the bytes as durable as the store makes records.
    ///
    /// Law: once a transaction that adds the upload has committed, the bytes are as durable as its records. A store that writes
    /// the bytes in that transaction has nothing to do here.
    ///
    /// - Throws: The store's failures.
    func finish() async throws

    /// Releases the resources of the upload, and its bytes unless a committed transaction has added them.
    ///
    /// Law: afterwards the store has the bytes only if a transaction that added them has committed. A second call has no effect.
    func end() async
}
