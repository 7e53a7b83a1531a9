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
        let scope: DatabaseScope
        let asset: StoredAsset
    }

    /// A file, and the folder that it is in.
    typealias File = (url: URL, directory: TemporaryDirectory)

    private struct State {
        var files: [Key: Task<File, any Error>] = [:]
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
    ///   - recordID: A record that has the asset.
    ///   - scope: The database that it belongs to.
    ///   - client: The service to read the bytes from.
    /// - Throws: ``CabinetError/Code/assetNotAvailable`` if the record does not have the asset, and the file system's failures.
    func file(
        of asset: StoredAsset, of recordID: RecordID, in scope: DatabaseScope, from client: ServiceClient
    ) async throws -> File {
        let key = Key(scope: scope, asset: asset)
        let task = state.withLock { state in
            if let task = state.files[key] { return task }
            let task = Task { try await self.makeFile(of: asset, of: recordID, in: scope, from: client) }
            state.files[key] = task
            return task
        }
        do {
            return try await task.value
        } catch {
            // A later call may find the bytes.
            state.withLock { $0.files[key] = nil }
            throw error
        }
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

    private func makeFile(
        of asset: StoredAsset, of recordID: RecordID, in scope: DatabaseScope, from client: ServiceClient
    ) async throws -> File {
        try await BlockingExecutor.once {
            let directory = try directory()
            let url = directory.url.appendingPathComponent("\(asset.checksum)-\(UUID().uuidString)")
            let file = try PartialFile(replacing: url)
            var start: Int64 = 0
            while start < asset.size {
                let end = min(start + Int64(AssetFile.chunkSize), asset.size)
                let bytes = try await client.service.bytes(
                    of: asset, of: recordID, in: start..<end, scope: scope, for: client.caller)
                guard !bytes.isEmpty else {
                    throw CabinetError(.assetNotAvailable, "The service has no bytes of the asset.", recordID: recordID)
                }
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
            let directory = try TemporaryDirectory(inOwn: parent)
            state.directory = directory
            return directory
        }
    }
}
