public import Foundation
import Synchronization

/// A buffer in memory for the bytes of uploads, until a transaction stores them.
///
/// Use it as the ``StorageAbilities/assets`` of a store that writes the bytes of assets in its transactions, as rows or beside
/// them. When the store applies ``StorageMutation/addAsset(_:uploadedAs:)``, it reads the bytes from the buffer:
///
/// ```swift
/// case .addAsset(let asset, let id):
///     assets[asset.checksum] = try uploads.bytes(of: id)
/// ```
public final class UploadBuffer: AssetStorage {
    private let buffers = Mutex<[UUID: Data]>([:])

    /// Creates a buffer without uploads.
    public init() {}

    /// Returns the bytes of an upload.
    ///
    /// - Parameter id: The ID of an upload that has begun and has not ended.
    /// - Returns: The bytes that were appended so far.
    /// - Throws: ``CabinetError/Code/internalError`` if no such upload exists.
    public func bytes(of id: UUID) throws(CabinetError) -> Data {
        guard let bytes = buffers.withLock({ $0[id] }) else {
            throw CabinetError(.internalError, "The upload \(id) has ended. Add an asset before its upload ends.")
        }
        return bytes
    }

    /// Begins the upload of an asset's bytes.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Returns: A new upload without bytes.
    public func beginUpload(to database: DatabaseKey) -> any AssetUpload {
        BufferedUpload(buffer: self)
    }

    /// Returns `nil`, because the store has no files.
    ///
    /// - Parameters:
    ///   - assets: The assets.
    ///   - database: The database that they belong to.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) -> [URL?]? { nil }

    /// Removes nothing, because an interrupted process leaves no bytes.
    ///
    /// - Parameter database: The database.
    /// - Returns: 0.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) -> Int { 0 }

    fileprivate func append(_ bytes: Data, to id: UUID) {
        buffers.withLock { $0[id, default: Data()].append(bytes) }
    }

    fileprivate func remove(_ id: UUID) {
        buffers.withLock { $0[id] = nil }
    }
}

/// The upload of one asset into a buffer.
private struct BufferedUpload: AssetUpload {
    let id = UUID()
    private let buffer: UploadBuffer

    init(buffer: UploadBuffer) {
        self.buffer = buffer
        buffer.append(Data(), to: id)
    }

    /// Returns `nil`, because memory has no files whose blocks it could share.
    func clone(_ file: URL) -> URL? { nil }

    func append(_ bytes: Data) { buffer.append(bytes, to: id) }

    func finish() {}

    func end() { buffer.remove(id) }
}
