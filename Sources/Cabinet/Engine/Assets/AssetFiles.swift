import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files with the bytes of assets, for a container whose store has no files of its own.
final class AssetFiles: Sendable {
    private struct Key: Hashable {
        let database: DatabaseKey
        let asset: StoredAsset
    }

    /// A file, and the folder that it is in.
    typealias File = (url: URL, directory: TemporaryDirectory)

    private struct State {
        var files: [Key: Task<File?, any Error>] = [:]
        var directory: TemporaryDirectory?
    }

    private let parent: URL
    private let state = Mutex(State())

    /// - Parameter parent: Where to make the folder of the files; by default one of this user's own.
    init(in parent: URL? = nil) {
        self.parent =
            parent
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-assets-\(geteuid())")
    }

    /// Gives an asset its file, which is made once, however many ask for it.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - database: The database that it belongs to.
    ///   - snapshot: A view of the database, in which the asset is.
    /// - Returns: `nil` if the store does not have its bytes.
    func file(
        of asset: StoredAsset, in database: DatabaseKey, from snapshot: any StorageSnapshot
    ) async throws -> File? {
        let key = Key(database: database, asset: asset)
        let task = state.withLock { state in
            if let task = state.files[key] { return task }
            let task = Task { try await self.makeFile(of: asset, from: snapshot) }
            state.files[key] = task
            return task
        }
        do {
            if let file = try await task.value { return file }
        } catch {
            state.withLock { $0.files[key] = nil }
            throw error
        }
        // It may be there the next time.
        state.withLock { $0.files[key] = nil }
        return nil
    }

    /// Removes all files.
    func remove() {
        let directory = state.withLock { state in
            state.files = [:]
            defer { state.directory = nil }
            return state.directory
        }
        directory?.remove()
    }

    private func makeFile(of asset: StoredAsset, from snapshot: any StorageSnapshot) async throws -> File? {
        try await BlockingExecutor.once {
            // Files of two databases lie apart, so that losing one does not lose the other.
            let directory = try directory()
            let url = directory.url.appendingPathComponent("\(asset.checksum)-\(UUID().uuidString)")
            guard try await snapshot.assets(for: [asset.checksum]) == [asset] else { return nil }
            let file = try PartialFile(replacing: url)
            var start: Int64 = 0
            while start < asset.size {
                let end = min(start + Int64(AssetFile.chunkSize), asset.size)
                guard let bytes = try await snapshot.bytes(of: asset.checksum, in: start..<end), !bytes.isEmpty
                else { return nil }
                try file.append(bytes)
                start += Int64(bytes.count)
            }
            try file.finish()
            return (url, directory)
        }
    }

    private func directory() throws -> TemporaryDirectory {
        try state.withLock { state in
            if let directory = state.directory { return directory }
            try checkParent()
            let directory = try TemporaryDirectory(in: parent)
            state.directory = directory
            return directory
        }
    }

    /// Makes the folder above, which nobody else may write to: whoever could, could put other files in the place of these.
    private func checkParent() throws {
        _ = try? FileAccess.owner.createDirectory(atPath: parent.path, withIntermediateDirectories: false)
        var status = stat()
        guard lstat(parent.path, &status) == 0 else { throw TemporaryDirectory.failure(errno, parent.path) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CabinetError(
                .permissionFailure,
                "The folder \(parent.path) for fetched assets belongs to somebody else, or others may write to it. Remove it, or set "
                    + "TMPDIR to a folder of this user's own.")
        }
    }
}
