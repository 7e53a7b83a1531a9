import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The files of assets on their way to iCloud and from it.
///
/// CloudKit takes and gives assets as files. It may remove a file that it has given, so the service keeps a link to it until the
/// container has read its bytes.
final class ICloudAssets: Sendable {
    private struct Key: Hashable {
        let scope: DatabaseScope
        let asset: StoredAsset
    }

    private struct State {
        var directory: TemporaryDirectory?
        var kept: [Key: URL] = [:]
        /// The kept files, the oldest first.
        var order: [Key] = []
    }

    /// The number of fetched files that are kept; an older one is fetched again.
    static let maximumCount = 256

    /// The files of assets on their way to iCloud.
    let uploads = UploadFiles()
    private let state = Mutex(State())

    /// The number of fetched files that are kept.
    var count: Int { state.withLock { $0.order.count } }

    /// Removes all files.
    func remove() {
        let directory = state.withLock { state in
            defer { state = State() }
            return state.directory
        }
        directory?.remove()
        uploads.close()
    }

    /// Keeps a file that CloudKit has downloaded, and returns the identity of its bytes.
    func keep(_ file: URL, in scope: DatabaseScope) throws(CabinetError) -> StoredAsset {
        do {
            let asset = try StoredAsset(of: file)
            let key = Key(scope: scope, asset: asset)
            if state.withLock({ $0.kept[key] != nil }) { return asset }
            let link = try newFile()
            do {
                try FileManager.default.linkItem(at: file, to: link)
            } catch {
                // CloudKit's files may be on another volume.
                try FileManager.default.copyItem(at: file, to: link)
            }
            let removed = state.withLock { state -> URL? in
                if state.kept.updateValue(link, forKey: key) == nil { state.order.append(key) }
                guard state.order.count > Self.maximumCount else { return nil }
                return state.kept.removeValue(forKey: state.order.removeFirst())
            }
            if let removed { try? FileManager.default.removeItem(at: removed) }
            return asset
        } catch {
            throw CabinetError(
                .assetNotAvailable, "The file of an asset that iCloud has downloaded cannot be read.",
                underlyingError: error)
        }
    }

    /// Returns bytes of an asset that was fetched or uploaded; `nil` if its file is not kept.
    func bytes(of asset: StoredAsset, in range: Range<Int64>, _ scope: DatabaseScope) throws -> Data? {
        guard range.count <= StoredAsset.partSize else {
            throw CabinetError(.limitExceeded, "One call reads at most \(StoredAsset.partSize) bytes of an asset.")
        }
        guard range.lowerBound >= 0, range.upperBound <= asset.size else {
            throw CabinetError(
                .assetNotAvailable, "The asset has \(asset.size) bytes, and not those from \(range.lowerBound).")
        }
        let kept = state.withLock { $0.kept[Key(scope: scope, asset: asset)] }
        guard let file = kept ?? uploads.file(of: asset), let handle = try? FileHandle(forReadingFrom: file) else {
            return nil
        }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(range.lowerBound))
        return try handle.read(upToCount: range.count) ?? Data()
    }

    private func newFile() throws -> URL {
        try state.withLock { state in
            let directory = try state.directory ?? TemporaryDirectory(for: "icloud")
            state.directory = directory
            return directory.url.appendingPathComponent(UUID().uuidString)
        }
    }
}
