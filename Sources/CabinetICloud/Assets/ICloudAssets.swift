import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The files of assets on their way to iCloud and from it.
///
/// CloudKit takes and gives assets as files. It may remove a file that it has given, so the service keeps a link to it until the
/// container has read its bytes.
final class ICloudAssets: Sendable {
    private struct Upload {
        let file: URL
        var size: Int64 = 0
        var hash = SHA256()
        var lastUse: ContinuousClock.Instant
        var stored: StoredAsset?
    }

    private struct Key: Hashable {
        let scope: DatabaseScope
        let asset: StoredAsset
    }

    private struct State {
        var directory: TemporaryDirectory?
        var uploads: [UUID: Upload] = [:]
        var kept: [Key: URL] = [:]
        /// The kept files, the oldest first.
        var order: [Key] = []
    }

    /// The number of fetched files that are kept; an older one is fetched again.
    static let maximumCount = 256
    private static let longestCall = 1 << 20
    private static let lifetime = Duration.seconds(3600)

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
    }

    // MARK: - Uploads

    /// Begins an upload; those that no call has named for an hour end.
    func begin() throws -> UUID {
        let id = UUID()
        let file = try newFile()
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CabinetError(.quotaExceeded, "The file of an upload cannot be created in \(file.path).")
        }
        let now = ContinuousClock.now
        let expired = state.withLock { state in
            let expired = state.uploads.filter { $0.value.lastUse + Self.lifetime < now }
            for id in expired.keys { state.uploads[id] = nil }
            state.uploads[id] = Upload(file: file, lastUse: now)
            return expired.values.map(\.file)
        }
        for file in expired { try? FileManager.default.removeItem(at: file) }
        return id
    }

    /// Appends bytes to an upload, without those that it has.
    func append(_ bytes: Data, to id: UUID, at offset: Int64) throws {
        guard bytes.count <= Self.longestCall else {
            throw CabinetError(
                .limitExceeded,
                "One call has at most \(Self.longestCall) bytes of an asset, and this one has \(bytes.count).")
        }
        try state.withLock { state in
            guard var upload = state.uploads[id] else { throw Self.unknownUpload }
            guard offset >= 0, offset <= upload.size, upload.stored == nil else {
                throw CabinetError(
                    .invalidArguments, "The upload has \(upload.size) bytes, and the next ones begin at \(offset).")
            }
            let new = bytes.dropFirst(Int(upload.size - offset))
            if !new.isEmpty {
                let handle = try FileHandle(forWritingTo: upload.file)
                defer { try? handle.close() }
                try handle.seekToEnd()
                try handle.write(contentsOf: new)
                upload.hash.update(Data(new))
                upload.size += Int64(new.count)
            }
            upload.lastUse = .now
            state.uploads[id] = upload
        }
    }

    /// Returns the identity of the bytes of an upload.
    func finish(_ id: UUID) throws -> StoredAsset {
        try state.withLock { state in
            guard var upload = state.uploads[id] else { throw Self.unknownUpload }
            let stored = upload.stored ?? StoredAsset(checksum: upload.hash.checksum, size: upload.size)
            upload.stored = stored
            upload.lastUse = .now
            state.uploads[id] = upload
            return stored
        }
    }

    func end(_ ids: [UUID]) {
        let files = state.withLock { state in ids.compactMap { state.uploads.removeValue(forKey: $0)?.file } }
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    /// Returns the file of an asset that was uploaded.
    func uploadedFile(of asset: StoredAsset) -> URL? {
        state.withLock { $0.uploads.values.first { $0.stored == asset }?.file }
    }

    private static let unknownUpload = CabinetError(.unknownItem, "The upload does not exist, or has ended.")

    // MARK: - Fetched files

    /// Keeps a file that CloudKit has downloaded, and returns the identity of its bytes.
    func keep(_ file: URL, in scope: DatabaseScope) throws(CabinetError) -> StoredAsset {
        do {
            let asset = try Self.identity(of: file)
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
        guard range.count <= Self.longestCall else {
            throw CabinetError(.limitExceeded, "One call reads at most \(Self.longestCall) bytes of an asset.")
        }
        guard range.lowerBound >= 0, range.upperBound <= asset.size else {
            throw CabinetError(
                .assetNotAvailable, "The asset has \(asset.size) bytes, and not those from \(range.lowerBound).")
        }
        let kept = state.withLock { $0.kept[Key(scope: scope, asset: asset)] }
        guard let file = kept ?? uploadedFile(of: asset), let handle = try? FileHandle(forReadingFrom: file) else {
            return nil
        }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(range.lowerBound))
        return try handle.read(upToCount: range.count) ?? Data()
    }

    private static func identity(of file: URL) throws -> StoredAsset {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var hash = SHA256()
        var size: Int64 = 0
        while let bytes = try handle.read(upToCount: longestCall), !bytes.isEmpty {
            hash.update(bytes)
            size += Int64(bytes.count)
        }
        return StoredAsset(checksum: hash.checksum, size: size)
    }

    private func newFile() throws -> URL {
        try state.withLock { state in
            let directory = try state.directory ?? TemporaryDirectory(in: FileManager.default.temporaryDirectory)
            state.directory = directory
            return directory.url.appendingPathComponent(UUID().uuidString)
        }
    }
}
