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

/// The files of all assets of a container, and what one open backend has of its own among them.
///
/// ```text
/// assets/pool/ab/<checksum>            see ``AssetFolder``
/// assets/private-_anna/ab/<checksum>
/// assets/sessions/<uuid>/<uuid>        an upload that is under way
/// assets/sessions/<uuid>/<checksum>    a further name for a file, which stays for who reads it when the asset is removed
/// ```
final class AssetStore: Sendable {
    private struct State {
        var uploads: [UUID: (path: String, database: DatabaseKey)] = [:]
        /// The folders that are known to be durable.
        var durableFolders: Set<String> = []
        /// The databases with files that are to be given back.
        var abandoning: Set<DatabaseKey> = []
        /// The databases that something was uploaded to.
        var used: Set<DatabaseKey> = []
    }

    /// A file of which a reader has got another name.
    private struct GivenFile: Hashable {
        let checksum: Asset.Checksum
        /// The file system's number of the file: a damaged one may be replaced by another one.
        let number: UInt64
    }

    private struct Session {
        var directory: TemporaryDirectory?
        var isClosed = false
        /// The files that were given to readers.
        var files: [GivenFile: URL] = [:]
    }

    /// The largest number of durable folders to remember.
    static let folderLimit = 8192
    /// The largest number of databases with uploads to remember.
    static let databaseLimit = 4096

    /// The container's directory.
    let parent: String
    let root: String
    /// The users that may read and write new files.
    let access: FileAccess
    /// Where uploads are begun and files are given out, which waits for the disk.
    let executor: BlockingExecutor
    /// Where one looks through folders, which takes longer.
    let upkeepExecutor: BlockingExecutor
    private let state = Mutex(State())
    // A mutex of its own: this one is held while the disk is waited for.
    private let session = Mutex(Session())

    init(directory: URL, access: FileAccess) {
        self.access = access
        parent = directory.path
        root = directory.appendingPathComponent("assets").path
        executor = BlockingExecutor(label: "Cabinet assets of \(directory.path)")
        upkeepExecutor = BlockingExecutor(label: "Cabinet upkeep of \(directory.path)")
    }

    /// The numbers of durable folders and of databases with uploads that are remembered, for tests.
    var rememberedCounts: (folders: Int, databases: Int) {
        state.withLock { ($0.durableFolders.count, $0.used.count) }
    }

    /// Makes a call that waits for the disk.
    func run<Output: Sendable>(
        on executor: BlockingExecutor, _ body: @escaping @Sendable (AssetStore) throws -> Output
    ) async throws -> Output {
        try await executor.run { try body(self) }
    }

    /// The folder of a database's assets.
    func folder(of database: DatabaseKey) throws -> AssetFolder {
        AssetFolder(store: self, database: database, path: root + "/" + (try StoreFile.stem(of: database)))
    }

    /// The part of a folder that the file of an asset is in; no folder gets too long.
    static func subfolder(of checksum: Asset.Checksum) -> String { String(checksum.description.prefix(2)) }

    /// Whether a name is one of ``subfolder(of:)``.
    static func isSubfolder(_ name: String) -> Bool {
        name.utf8.count == 2
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Where the file of an asset is in a folder.
    ///
    /// Nothing but hexadecimal digits comes from outside.
    static func file(_ checksum: Asset.Checksum, in folder: String) -> String {
        "\(folder)/\(subfolder(of: checksum))/\(checksum)"
    }

    /// Notes that a folder was made, whose own name is not durable yet.
    func noteNewFolder(_ folder: String) {
        state.withLock { _ = $0.durableFolders.remove(folder) }
    }

    /// Makes the entries of folders of files durable; and once, in case another process has died before, those of what is above.
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

    /// Remembers folders whose entries are durable.
    func remember(durableFolders folders: Set<String>) {
        state.withLock { state in
            // A folder that is forgotten is only synchronized once more.
            if state.durableFolders.count + folders.count > Self.folderLimit { state.durableFolders = [] }
            state.durableFolders.formUnion(folders)
        }
    }
}

// MARK: - The pool

extension AssetStore {
    private var pool: String { root + "/pool" }

    func poolFile(_ checksum: Asset.Checksum) -> String { Self.file(checksum, in: pool) }

    /// Puts a file into the pool, for the next database that gets the same bytes.
    ///
    /// Whatever fails: then the next one stores them once more.
    func offerToPool(_ file: String, _ asset: StoredAsset) {
        let name = poolFile(asset.checksum)
        do {
            try AssetFile.makeFolder(pool, access)
            try AssetFile.makeFolder(pool + "/" + Self.subfolder(of: asset.checksum), access)
        } catch { return }
        guard AssetFile.link(file, to: name) == EEXIST else { return }
        // The file that is there was of no use: it may be damaged, or has as many names as a file can have.
        let unfinished = pool + "/" + UUID().uuidString
        defer { unlink(unfinished) }
        if AssetFile.link(file, to: unfinished) == 0 { rename(unfinished, name) }
    }

    /// Removes a file from the pool, if nobody else has it.
    ///
    /// Somebody may be about to give it another name. That one has then the last name, and the bytes stay.
    ///
    /// - Returns: Whether it was removed.
    @discardableResult
    func leavePool(_ checksum: Asset.Checksum) -> Bool {
        let file = poolFile(checksum)
        guard let status = AssetFile.status(file), status.st_nlink == 1 else { return false }
        return unlink(file) == 0
    }

    /// Removes the files from the pool that nobody has.
    ///
    /// - Returns: How many there were.
    func cleanPool() -> Int {
        AssetFile.names(in: pool).reduce(0) { count, name in
            if !Self.isSubfolder(name) {
                // What a process has left that died while it replaced a file.
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

    /// Begins an upload.
    func beginUpload(to database: DatabaseKey) throws -> SQLiteAssetUpload {
        let directory = try sessionDirectory()
        let id = UUID()
        let path = directory.appendingPathComponent(id.uuidString.lowercased()).path
        let upload = SQLiteAssetUpload(id: id, path: path, descriptor: try AssetFile.create(path, access), store: self)
        state.withLock { $0.uploads[id] = (path, database) }
        return upload
    }

    /// Where an upload's bytes are.
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

    /// Files that readers may keep: each has a further name for them.
    ///
    /// - Returns: For each asset its file, or `nil` if it is lost; `nil` if no files can be made.
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
                // Not every file system has files with several names.
                default: try AssetFile.copy(source, to: file.path, access)
                }
                session.files[given] = file
                return file
            }
        }
    }

    /// Removes what died with other processes.
    func removeAbandonedSessions() -> Int {
        TemporaryDirectory.removeAbandoned(in: URL(fileURLWithPath: sessions))
    }

    /// Removes the files of this session, and with them the bytes that nobody else has.
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

// MARK: - What is to be done

extension AssetStore {
    func noteAbandonment(in database: DatabaseKey) {
        state.withLock { _ = $0.abandoning.insert(database) }
    }

    /// Whether files of a database are to be given back, of which was not yet told.
    func takeAbandonment(in database: DatabaseKey) -> Bool {
        state.withLock { $0.abandoning.isEmpty ? false : $0.abandoning.remove(database) != nil }
    }

    /// Whether nothing was uploaded to a database before.
    func isFirstUse(of database: DatabaseKey) -> Bool {
        state.withLock { state in
            // A database that is forgotten is only cleaned once more.
            if state.used.contains(database) { return false }
            if state.used.count >= Self.databaseLimit { state.used = [] }
            return state.used.insert(database).inserted
        }
    }
}
