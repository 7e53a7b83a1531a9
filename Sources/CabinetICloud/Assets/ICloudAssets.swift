import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The files of assets on their way to iCloud and from it.
///
/// CloudKit takes and gives assets as files. It may remove a file that it has given, so the service keeps a link to it until the
/// container has read its bytes, which it does record by record after a response. The files of a response are therefore kept and
/// removed together.
final class ICloudAssets: Sendable {
    private struct Key: Hashable {
        let scope: DatabaseScope
        let asset: StoredAsset
    }

    private struct File {
        let url: URL
        /// The latest response with the file.
        var response: UUID
    }

    private struct State {
        var directory: TemporaryDirectory?
        var kept: [Key: File] = [:]
        /// The responses with kept files, the oldest first.
        var responses: [UUID] = []

        /// Counts a file to a response, and forgets the files of old responses.
        ///
        /// - Parameter link: The link to a new file, or `nil` to count one that is kept.
        /// - Returns: Whether the file is kept, and the links that are not any more.
        mutating func keep(_ key: Key, at link: URL? = nil, for response: UUID) -> (isKept: Bool, removed: [URL]) {
            guard let url = kept[key]?.url ?? link else { return (false, []) }
            // Another task may have kept the same file first.
            var removed = [link].compactMap(\.self).filter { $0 != url }
            kept[key] = File(url: url, response: response)
            if !responses.contains(response) { responses.append(response) }
            while responses.count > latestCount, max(kept.count, responses.count) > maximumCount {
                let oldest = responses.removeFirst()
                for (key, file) in kept where file.response == oldest {
                    kept[key] = nil
                    removed.append(file.url)
                }
            }
            return (true, removed)
        }
    }

    /// The number of fetched files from which on old ones are removed; one of these is fetched again.
    static let maximumCount = 256
    /// The number of the latest responses whose files are kept, however many they are: those that tasks are reading.
    static let latestCount = 8

    /// The files of assets on their way to iCloud.
    let uploads = UploadFiles()
    private let state = Mutex(State())

    /// The number of fetched files that are kept.
    var count: Int { state.withLock { $0.kept.count } }

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
    ///
    /// - Parameter response: The response whose records have the file.
    func keep(_ file: URL, in scope: DatabaseScope, for response: UUID) throws(CabinetError) -> StoredAsset {
        do {
            let asset = try StoredAsset(of: file)
            let key = Key(scope: scope, asset: asset)
            let known = state.withLock { $0.keep(key, for: response) }
            Self.remove(known.removed)
            if known.isKept { return asset }
            let link = try newFile()
            do {
                try FileManager.default.linkItem(at: file, to: link)
            } catch {
                // CloudKit's files may be on another volume.
                try FileManager.default.copyItem(at: file, to: link)
            }
            Self.remove(state.withLock { $0.keep(key, at: link, for: response).removed })
            return asset
        } catch {
            // A full disk does not mean that iCloud lacks the asset.
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw CabinetError(
                isFull ? .quotaExceeded : .assetNotAvailable,
                "The file of an asset that iCloud has downloaded cannot be kept.", underlyingError: error)
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
        let kept = state.withLock { $0.kept[Key(scope: scope, asset: asset)]?.url }
        guard let file = kept ?? uploads.file(of: asset), let handle = try? FileHandle(forReadingFrom: file) else {
            return nil
        }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(range.lowerBound))
        return try handle.read(upToCount: range.count) ?? Data()
    }

    private static func remove(_ files: [URL]) {
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    private func newFile() throws -> URL {
        try state.withLock { state in
            let directory = try state.directory ?? TemporaryDirectory(for: "icloud")
            state.directory = directory
            return directory.url.appendingPathComponent(UUID().uuidString)
        }
    }
}
