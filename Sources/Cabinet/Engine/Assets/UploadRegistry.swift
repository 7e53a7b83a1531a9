import Foundation
import Synchronization

/// The uploads in progress of a service, each of one user.
///
/// An upload that no call has named for an hour is ended when the next one begins.
final class UploadRegistry: Sendable {
    private let idleLimit: Duration
    private let countLimit: Int
    private let userLimit: Int
    private let uploads = Mutex<[UUID: UploadInProgress]>([:])

    /// Creates a registry.
    ///
    /// The uploads of all users leave more than half of the 65,536 files that a server may open to connections and databases.
    init(idleLimit: Duration = .seconds(3600), countLimit: Int = 30_000, userLimit: Int = 2_000) {
        self.idleLimit = idleLimit
        self.countLimit = countLimit
        self.userLimit = userLimit
    }

    /// Begins an upload.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the service or the user has too many uploads, each of which may hold a file open.
    func begin(
        in database: DatabaseKey, of backend: any StorageBackend, for user: String
    ) async throws -> UploadInProgress {
        let idle = uploads.withLock { uploads in
            let idle = uploads.filter { $0.value.idleTime > idleLimit }
            for id in idle.keys { uploads[id] = nil }
            return idle.values
        }
        for upload in idle { await upload.end() }
        let upload = UploadInProgress(try await backend.beginUpload(to: database), in: database, of: user)
        let exceeded: Int? = uploads.withLock { uploads in
            if uploads.count >= countLimit { return countLimit }
            if uploads.count >= userLimit, uploads.values.count(where: { $0.user == user }) >= userLimit {
                return userLimit
            }
            uploads[upload.id] = upload
            return nil
        }
        guard let exceeded else { return upload }
        await upload.end()
        throw CabinetError(
            .limitExceeded, "\(exceeded) uploads are in progress. Save the records of some, and continue then.")
    }

    /// Returns an upload of a user.
    ///
    /// - Throws: ``CabinetError/Code/unknownItem`` if the user has no such upload, or it has ended.
    func upload(_ id: UUID, of caller: Caller) throws(CabinetError) -> UploadInProgress {
        guard let user = caller.userRecordName, let upload = uploads.withLock({ $0[id] }), upload.user == user else {
            throw CabinetError(
                .unknownItem,
                "The upload \(id) has ended, or is not the user's. Begin another upload, and send the bytes again.")
        }
        return upload
    }

    /// Returns those of a request's uploads that a database takes, or that the user does not have.
    func uploads(_ ids: [UUID], of caller: Caller, in database: DatabaseKey) -> [UUID] {
        ids.filter { id in (try? upload(id, of: caller)).map { $0.database == database } ?? true }
    }

    /// Returns the finished uploads of a request, by their assets.
    func finishedAssets(
        _ ids: [UUID], of caller: Caller, in database: DatabaseKey
    ) async throws -> [StoredAsset: UUID] {
        var assets: [StoredAsset: UUID] = [:]
        for id in ids {
            let upload = try upload(id, of: caller)
            guard upload.database == database, let asset = await upload.asset else {
                throw CabinetError(
                    .invalidArguments,
                    "The upload \(id) is not finished, or belongs to another database. Finish it first.")
            }
            assets[asset] = id
        }
        return assets
    }

    /// Ends uploads of a user; other IDs are passed over.
    func end(_ ids: [UUID], of caller: Caller) async {
        for id in ids {
            guard let upload = try? upload(id, of: caller) else { continue }
            uploads.withLock { $0[id] = nil }
            await upload.end()
        }
    }

    func endAll() async {
        let all = uploads.withLock { uploads in
            defer { uploads = [:] }
            return uploads.values
        }
        for upload in all { await upload.end() }
    }
}

/// An upload whose bytes arrive in several calls.
final class UploadInProgress: Sendable {
    let database: DatabaseKey
    let user: String
    private let base: any AssetUpload
    private let executor = BlockingExecutor(label: "Cabinet upload")
    /// One call changes the upload at a time.
    private let lock = AsyncLock()
    private let state = Mutex(State())

    private struct State {
        var hash = SHA256()
        var count: Int64 = 0
        /// The bytes, if the store has taken a file as a whole.
        var clone: URL?
        var asset: StoredAsset?
        var lastUse = ContinuousClock.now
    }

    init(_ base: any AssetUpload, in database: DatabaseKey, of user: String) {
        self.base = base
        self.database = database
        self.user = user
    }

    var id: UUID { base.id }

    var idleTime: Duration { .now - state.withLock(\.lastUse) }

    /// The asset, once the upload is finished.
    var asset: StoredAsset? {
        get async { state.withLock(\.asset) }
    }

    /// Takes a file as a whole, if the store can share its blocks.
    func clone(_ file: URL) async throws -> Bool {
        try await change {
            let clone = try await base.clone(file)
            state.withLock { $0.clone = clone }
            return clone != nil
        }
    }

    /// Appends bytes; those that the upload has already are skipped.
    func append(_ bytes: Data, at offset: Int64) async throws {
        try await change {
            let (count, isFinished) = state.withLock { ($0.count, $0.asset != nil || $0.clone != nil) }
            guard offset >= 0, offset <= count else {
                throw CabinetError(
                    .invalidArguments,
                    "The upload has \(count) bytes; send the bytes from there on, not from \(offset).")
            }
            let rest = bytes.dropFirst(Int(clamping: count - offset))
            if rest.isEmpty { return }
            guard !isFinished else {
                throw CabinetError(.invalidArguments, "The upload is finished. Begin another one for further bytes.")
            }
            try await base.append(Data(rest))
            state.withLock { state in
                state.hash.update(Data(rest))
                state.count += Int64(rest.count)
            }
        }
    }

    /// Makes the bytes durable, and returns their checksum and number.
    func finish() async throws -> StoredAsset {
        try await change {
            if let asset = state.withLock(\.asset) { return asset }
            let cloned = try state.withLock(\.clone).map { try StoredAsset(of: $0) }
            try await base.finish()
            return state.withLock { state in
                let asset = cloned ?? StoredAsset(checksum: state.hash.checksum, size: state.count)
                (state.asset, state.count) = (asset, asset.size)
                return asset
            }
        }
    }

    func end() async { await lock.withLock { await base.end() } }

    private func change<Output: Sendable>(_ body: () async throws -> Output) async throws -> Output {
        state.withLock { $0.lastUse = .now }
        return try await withTaskExecutorPreference(executor) { try await lock.withLock { try await body() } }
    }
}
