import Cabinet
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The asset files of a container, and the session of one open backend.
///
/// ```text
/// assets/pool/ab/<checksum>            see ``AssetFolder``
/// assets/private-_anna/ab/<checksum>
/// assets/sessions/<uuid>/<uuid>        an active upload
/// assets/sessions/<uuid>/<checksum>    a link for a reader, which outlives the deletion of the asset
/// ```
final class AssetStore: Sendable {
    private struct State {
        var uploads: [UUID: (path: String, database: DatabaseKey)] = [:]
        /// The folders that are known to be durable, with those above them.
        var durableFolders: Set<String> = []
        /// The databases with files of deleted assets to remove.
        var collectionRequests: Set<DatabaseKey> = []
        /// The databases that this backend has uploaded assets to.
        var used: Set<DatabaseKey> = []
    }

    /// A file that a reader has a link to.
    private struct GivenFile: Hashable {
        let checksum: Asset.Checksum
        /// The inode number, because a damaged file may be replaced.
        let number: UInt64
    }

    private struct Session {
        var directory: TemporaryDirectory?
        var isClosed = false
        /// The links for readers.
        var files: [GivenFile: URL] = [:]
    }

    /// The limit of `durableFolders`.
    static let folderLimit = 8192
    /// The limit of `used`.
    static let databaseLimit = 4096

    /// The container's directory.
    let parent: String
    let root: String
    /// The permissions of new files.
    let access: FileAccess
    /// The executor for uploads and for links to files.
    let executor: BlockingExecutor
    /// The executor for listing folders, which takes longer.
    let upkeepExecutor: BlockingExecutor
    private let state = Mutex(State())
    // A separate mutex, because it stays locked during file operations.
    private let session = Mutex(Session())

    init(directory: URL, access: FileAccess) {
        self.access = access
        parent = directory.path
        root = directory.appendingPathComponent("assets").path
        executor = BlockingExecutor(label: "Cabinet assets of \(directory.path)")
        upkeepExecutor = BlockingExecutor(label: "Cabinet upkeep of \(directory.path)")
    }

    /// The sizes of `durableFolders` and `used`, for tests.
    var rememberedCounts: (folders: Int, databases: Int) {
        state.withLock { ($0.durableFolders.count, $0.used.count) }
    }

    /// Runs a blocking operation on an executor.
    func run<Output: Sendable>(
        on executor: BlockingExecutor, _ body: @escaping @Sendable (AssetStore) throws -> Output
    ) async throws -> Output {
        try await executor.run { try body(self) }
    }

    /// Returns the folder with the asset files of a database.
    func folder(of database: DatabaseKey) throws -> AssetFolder {
        AssetFolder(store: self, database: database, path: root + "/" + (try StoreFile.stem(of: database)))
    }

    /// Returns the name of the subfolder for an asset.
    ///
    /// Subfolders keep folders short.
    static func subfolder(of checksum: Asset.Checksum) -> String { String(checksum.description.prefix(2)) }

    /// Whether a name is a subfolder's.
    static func isSubfolder(_ name: String) -> Bool {
        name.utf8.count == 2
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Returns the path of an asset's file below a folder.
    ///
    /// The only variable part is hexadecimal digits, so no path leads outside of the folder.
    static func file(_ checksum: Asset.Checksum, in folder: String) -> String {
        "\(folder)/\(subfolder(of: checksum))/\(checksum)"
    }

    /// Records that the entry of a new folder is not durable yet.
    func recordNewFolder(_ folder: String) {
        state.withLock { _ = $0.durableFolders.remove(folder) }
    }

    /// Makes the entries of folders durable.
    ///
    /// The first time, this includes the folders above, because another process may have died before it did so.
    func synchronize(_ folders: Set<String>) throws {
        guard !folders.isEmpty else { return }
        let new = folders.subtracting(state.withLock(\.durableFolders))
        var all = folders
        for folder in new {
            all.formUnion([URL(fileURLWithPath: folder).deletingLastPathComponent().path, root, parent])
        }
        for folder in all { try AssetFile.synchronize(folder: folder) }
        remember(durableFolders: new)
    }

    /// Remembers folders with durable entries.
    func remember(durableFolders folders: Set<String>) {
        state.withLock { state in
            // A forgotten folder is only synchronized again.
            if state.durableFolders.count + folders.count > Self.folderLimit { state.durableFolders = [] }
            state.durableFolders.formUnion(folders)
        }
    }
}

// MARK: - The pool

extension AssetStore {
    private var pool: String { root + "/pool" }

    func poolFile(_ checksum: Asset.Checksum) -> String { Self.file(checksum, in: pool) }

    /// Links a file into the pool for other databases that store the same bytes.
    ///
    /// Best effort: on failure, the next upload stores its own copy.
    func offerToPool(_ file: String, _ asset: StoredAsset) {
        let name = poolFile(asset.checksum)
        do {
            try AssetFile.makeFolder(pool, access)
            try AssetFile.makeFolder(pool + "/" + Self.subfolder(of: asset.checksum), access)
        } catch { return }
        guard AssetFile.link(file, to: name) == EEXIST else { return }
        // The file in the pool was of no use: it may be damaged, or have the largest possible number of links.
        let unfinished = pool + "/" + UUID().uuidString
        defer { unlink(unfinished) }
        if AssetFile.link(file, to: unfinished) == 0 { rename(unfinished, name) }
    }

    /// Removes a file from the pool if no database has a link to it.
    ///
    /// Another process may be linking it at the same time. Then that link is the last one, and the bytes stay.
    ///
    /// - Returns: Whether the file was removed.
    @discardableResult
    func leavePool(_ checksum: Asset.Checksum) -> Bool {
        let file = poolFile(checksum)
        guard let status = AssetFile.status(file), status.st_nlink == 1 else { return false }
        return unlink(file) == 0
    }

    /// Removes all unused files from the pool.
    ///
    /// - Returns: The number of removed files.
    func cleanPool() -> Int {
        AssetFile.names(in: pool).reduce(0) { count, name in
            if !Self.isSubfolder(name) {
                // A process died while it replaced a file.
                return count + (UUID(uuidString: name) != nil && unlink(pool + "/" + name) == 0 ? 1 : 0)
            }
            return AssetFile.names(in: pool + "/" + name).reduce(count) { count, name in
                count + (Asset.Checksum(hexadecimal: name).map { leavePool($0) } == true ? 1 : 0)
            }
        }
    }
}

// MARK: - The session

extension AssetStore {
    private var sessions: String { root + "/sessions" }

    /// Starts an upload.
    func beginUpload(to database: DatabaseKey) throws -> SQLiteAssetUpload {
        let directory = try sessionDirectory()
        let id = UUID()
        let path = directory.appendingPathComponent(id.uuidString.lowercased()).path
        let upload = SQLiteAssetUpload(id: id, path: path, descriptor: try AssetFile.create(path, access), store: self)
        state.withLock { $0.uploads[id] = (path, database) }
        return upload
    }

    /// Returns the path of an upload's bytes.
    func upload(_ id: UUID, to database: DatabaseKey) throws -> String {
        guard let upload = state.withLock({ $0.uploads[id] }), upload.database == database else {
            throw CabinetError(
                .invalidArguments,
                "There is no upload \(id) to \(database). Add an asset before its upload is ended, in the database that it "
                    + "was begun for.")
        }
        return upload.path
    }

    func endUpload(_ id: UUID) {
        if let upload = state.withLock({ $0.uploads.removeValue(forKey: id) }) { unlink(upload.path) }
    }

    /// Returns files that readers may keep, each a link in this session.
    ///
    /// - Returns: For each asset its file, or `nil` if it is lost; `nil` instead of the array if no files can be
    ///   created.
    func files(of assets: [StoredAsset], in folder: AssetFolder) throws -> [URL?]? {
        guard let directory = try? sessionDirectory() else { return nil }
        return try session.withLock { session in
            try assets.map { asset -> URL? in
                let source = folder.file(asset.checksum)
                guard let status = AssetFile.status(source), status.isFile(size: asset.size) else { return nil }
                let given = GivenFile(checksum: asset.checksum, number: status.number)
                if let known = session.files[given], AssetFile.has(known.path, size: asset.size) { return known }
                let name = "\(asset.checksum)-\(session.files.count)"
                let file = directory.appendingPathComponent(name, isDirectory: false)
                unlink(file.path)
                switch AssetFile.link(source, to: file.path) {
                case 0: break
                case ENOENT: return nil
                // The file system may not support hard links, or limit their number.
                default: try AssetFile.copy(source, to: file.path, access)
                }
                session.files[given] = file
                return file
            }
        }
    }

    /// Removes the sessions of processes that died.
    func removeAbandonedSessions() -> Int {
        TemporaryDirectory.removeAbandoned(in: URL(fileURLWithPath: sessions))
    }

    /// Removes the files of this session, and with them bytes that have no other link.
    func close() {
        let ended = session.withLock { session in
            defer { session = Session(isClosed: true) }
            return session
        }
        ended.directory?.remove()
        for file in ended.files.keys { leavePool(file.checksum) }
    }

    private func sessionDirectory() throws -> URL {
        try session.withLock { session in
            guard !session.isClosed else {
                throw CabinetError(
                    .serviceUnavailable, "The store in \(parent) is closed. Open it again with a new backend.")
            }
            if let directory = session.directory { return directory.url }
            let directory = try TemporaryDirectory(in: URL(fileURLWithPath: sessions), access: access)
            session.directory = directory
            return directory.url
        }
    }
}

// MARK: - Pending work

extension AssetStore {
    func requestCollection(in database: DatabaseKey) {
        state.withLock { _ = $0.collectionRequests.insert(database) }
    }

    /// Returns whether a database has files of deleted assets to remove, and clears the mark.
    func takeCollectionRequest(in database: DatabaseKey) -> Bool {
        state.withLock { $0.collectionRequests.isEmpty ? false : $0.collectionRequests.remove(database) != nil }
    }

    /// Whether this is the backend's first upload to a database.
    func isFirstUse(of database: DatabaseKey) -> Bool {
        state.withLock { state in
            // A forgotten database is only cleaned again.
            if state.used.contains(database) { return false }
            if state.used.count >= Self.databaseLimit { state.used = [] }
            return state.used.insert(database).inserted
        }
    }
}
