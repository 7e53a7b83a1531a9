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

    /// Creates an empty set of files.
    ///
    /// - Parameter parent: The folder to create the files' folder in; by default one of this user's own.
    init(in parent: URL? = nil) {
        self.parent =
            parent
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-assets-\(geteuid())")
    }

    /// Returns the file of an asset, which is created once for any number of callers.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - database: The database that it belongs to.
    ///   - snapshot: A view of the database that has the asset.
    /// - Returns: The file, or `nil` if the store does not have the asset's bytes.
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
        // A later call may find the bytes.
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
            // Each database has a folder, so that losing one does not lose the other.
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

    /// Creates the parent folder, and checks that other users cannot write to it, because they could replace the files in it.
    private func checkParent() throws {
        _ = try? FileAccess.owner.createDirectory(atPath: parent.path, withIntermediateDirectories: false)
        var status = stat()
        guard lstat(parent.path, &status) == 0 else { throw TemporaryDirectory.failure(errno, parent.path) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CabinetError(
                .permissionFailure,
                "The folder \(parent.path) for fetched assets belongs to another user, or other users may write to it. Remove it, or set "
                    + "TMPDIR to a folder of this user's own.")
        }
    }
}
