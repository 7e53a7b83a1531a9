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
///
/// A limited number of files is kept. An older one is removed when no asset in memory has it, and the next fetch of a record with
/// its asset creates it again.
final class AssetFiles: Sendable {
    private struct Key: Hashable {
        let scope: DatabaseScope
        let asset: StoredAsset
    }

    /// A file, and what keeps it.
    typealias File = (url: URL, directory: KeptFile)

    /// Keeps a file and its folder; removes the file when it is deallocated.
    final class KeptFile: Sendable {
        private let url: URL
        private let directory: TemporaryDirectory

        init(_ url: URL, in directory: TemporaryDirectory) {
            self.url = url
            self.directory = directory
        }

        deinit {
            try? FileManager.default.removeItem(at: url)
        }
    }

    private struct State {
        var files: [Key: SharedTask<File>] = [:]
        /// The kept files, the oldest first.
        var order: [Key] = []
        var directory: TemporaryDirectory?

        /// Forgets a file, unless another one has replaced it.
        mutating func forget(_ task: SharedTask<File>, _ key: Key) {
            guard files[key] === task else { return }
            files[key] = nil
            order.removeAll { $0 == key }
        }
    }

    /// The number of files that are kept by default.
    static let maximumCount = 4_096

    private let maximumCount: Int
    private let parent: URL?
    private let state = Mutex(State())

    /// Creates an empty set of files.
    ///
    /// - Parameters:
    ///   - parent: The folder to create the files' folder in; by default one of this user's own.
    ///   - maximumCount: The number of files that are kept.
    init(in parent: URL? = nil, maximumCount: Int = maximumCount) {
        self.maximumCount = maximumCount
        self.parent = parent
    }

    /// Returns the file of an asset, which is created once for any number of callers.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - recordID: A record that has the asset.
    ///   - scope: The database that it belongs to.
    ///   - client: The service to read the bytes from.
    /// - Throws: ``CabinetError/Code/assetNotAvailable`` if the record does not have the asset,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled, and the file system's failures.
    func file(
        of asset: StoredAsset, of recordID: RecordID, in scope: DatabaseScope, from client: ServiceClient
    ) async throws -> File {
        let key = Key(scope: scope, asset: asset)
        while true {
            let (task, isNew) = task(for: key) {
                try await self.makeFile(of: asset, of: recordID, in: scope, from: client)
            }
            do {
                let file = try await task.value()
                // The program may have moved or changed the file of an earlier call.
                if isNew || Self.size(of: file.url) == asset.size { return file }
                state.withLock { $0.forget(task, key) }
            } catch {
                // A later call may find the bytes.
                if !task.isPending { state.withLock { $0.forget(task, key) } }
                // The callers that the file was created for have left.
                if task.isCancelled, !Task.isCancelled { continue }
                throw error
            }
        }
    }

    /// Returns the task that creates a file, and whether this call has started it.
    private func task(
        for key: Key, _ makeFile: @escaping @Sendable () async throws -> File
    ) -> (task: SharedTask<File>, isNew: Bool) {
        state.withLock { state in
            if let task = state.files[key] { return (task, false) }
            let task = SharedTask(makeFile)
            state.files[key] = task
            state.order.append(key)
            if state.order.count > maximumCount { state.files[state.order.removeFirst()] = nil }
            return (task, true)
        }
    }

    /// Returns the size of a file, or `nil` if the file does not exist.
    private static func size(of file: URL) -> Int64? {
        var status = stat()
        return stat(file.path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Removes all files.
    func remove() {
        let directory = state.withLock { state in
            state.files = [:]
            state.order = []
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
            let file = try PartialFile(ofAssetAt: url)
            let isComplete = try await asset.read {
                if Task.isCancelled { throw WorkMeter.cancellation }
                return try await client.service.bytes(
                    of: asset, of: recordID, in: $0, scope: scope, for: client.caller)
            } each: {
                try file.append($0)
            }
            guard isComplete else {
                throw CabinetError(.assetNotAvailable, "The service has no bytes of the asset.", recordID: recordID)
            }
            try file.finish(isDurable: false)
            return (url, KeptFile(url, in: directory))
        }
    }

    private func directory() throws -> TemporaryDirectory {
        try state.withLock { state in
            if let directory = state.directory { return directory }
            let directory = try parent.map(TemporaryDirectory.init(inOwn:)) ?? TemporaryDirectory(for: "assets")
            state.directory = directory
            return directory
        }
    }
}
