public import Foundation

/// The bytes of an asset on their way into a store.
///
/// The core reads the file of a record's asset before it begins the transaction that saves the record, and hands the bytes to an upload,
/// some at a time. When all are there, it finishes the upload; a transaction then takes it over with
/// ``StorageMutation/addAsset(_:uploadedAs:)``, and nobody finds the bytes before that one has been committed. Then, or if the record cannot be
/// saved, the core ends the upload.
///
/// Calls come one after the other, on an executor on which they may block.
///
/// Law: an upload that nobody ends, because its process died, leaves at worst bytes that ``AssetStorage/removeAbandonedAssets(from:)``
/// removes. One that is under way is never removed by others.
public protocol AssetUpload: Sendable {
    /// The ID by which ``StorageMutation/addAsset(_:uploadedAs:)`` names the upload.
    ///
    /// Law: no two uploads have the same ID.
    var id: UUID { get }

    /// Takes all bytes of a file at once, if the store can have them without copying, as file systems can that share blocks.
    ///
    /// Law: either the upload has all bytes of the file afterwards, and is not appended to, or none.
    ///
    /// - Parameter file: The file of an asset.
    /// - Returns: Where the bytes can be read that the upload has now, whatever becomes of the file; `nil` if they must be appended.
    func clone(_ file: URL) async throws -> URL?

    /// Adds bytes.
    ///
    /// Law: the upload has them after those that it had.
    ///
    /// - Parameter bytes: The next bytes: at most a megabyte.
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the store is full, and the store's other failures.
    func append(_ bytes: Data) async throws

    /// Makes the bytes as durable as the store makes records.
    ///
    /// Law: a transaction that adds the upload is durable with its bytes. It may be the transaction that writes them: then there is nothing to
    /// do here.
    func finish() async throws

    /// Gives back what the upload holds, which are its bytes unless a transaction that was committed has taken them.
    ///
    /// Law: afterwards it holds nothing, and the store has the bytes only if a transaction was committed that has added them. Ending twice is
    /// ending once.
    func end() async
}
