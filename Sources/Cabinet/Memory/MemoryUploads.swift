import Foundation
import Synchronization

/// The bytes of assets that no transaction has taken over yet.
final class MemoryUploads: Sendable {
    private let bytes = Mutex<[UUID: Data]>([:])

    func bytes(of id: UUID) -> Data? {
        bytes.withLock { $0[id] }
    }

    fileprivate func append(_ new: Data, to id: UUID) {
        bytes.withLock { $0[id, default: Data()].append(new) }
    }

    fileprivate func remove(_ id: UUID) {
        bytes.withLock { $0[id] = nil }
    }
}

/// The bytes of one asset on their way.
extension MemoryUploads: AssetStorage {
    func beginUpload(to database: DatabaseKey) -> any AssetUpload { MemoryUpload(to: self) }

    /// There are no files: the bytes are in memory.
    func files(of assets: [StoredAsset], in database: DatabaseKey) -> [URL?]? { nil }

    /// Nothing outlives its process.
    func removeAbandonedAssets(from database: DatabaseKey) -> Int { 0 }
}

struct MemoryUpload: AssetUpload {
    let id = UUID()
    private let uploads: MemoryUploads

    init(to uploads: MemoryUploads) {
        self.uploads = uploads
        uploads.append(Data(), to: id)
    }

    /// Memory shares nothing with files: the bytes must be appended.
    func clone(_ file: URL) -> URL? { nil }

    func append(_ bytes: Data) { uploads.append(bytes, to: id) }

    func finish() {}

    func end() { uploads.remove(id) }
}
