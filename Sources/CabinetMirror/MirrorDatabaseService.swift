public import Cabinet
public import Foundation
import Synchronization

/// A service whose databases work without a network, and mirror those of a container elsewhere.
///
/// ```swift
/// let remote = try Container(
///     identifier: "com.example.notes", server: url,
///     credentials: credentials)
/// let mirror = try MirrorDatabaseService(
///     mirroring: remote, in: SQLiteBackend(directory: folder))
/// let container = try mirror.container()
/// ```
///
/// Reads and writes of a mirrored database are those of the local store: they need no network, and have all of its features. The
/// store itself knows which changes were not sent, from the transaction of the write. The private database is mirrored, and the others if
/// ``MirrorConfiguration/selection`` says so. Requests to the others, and those about shares and users, go to the remote container.
public final class MirrorDatabaseService: DatabaseService {
    /// The mirrored databases.
    let contexts: [MirrorContext]
    let state: MirrorState
    let remote: Container
    /// The uploads in progress that the remote container has begun, for databases that are not mirrored.
    let remoteUploads = Mutex<Set<UUID>>([])
    private let runner: MirrorRunner?

    /// Creates a service, which begins to fetch and send unless its configuration says otherwise.
    ///
    /// - Parameters:
    ///   - remote: The container to mirror, which has a user, and which ``close()`` closes too.
    ///   - backend: The local store. Several processes can use it at once, if it permits that: one of them sends.
    ///   - configuration: The choices of the program.
    ///   - limits: The limits of local requests.
    ///   - changeRetention: The limits up to which the local store remembers deletions and notifications.
    ///   - now: The clock that dates local changes.
    /// - Throws: ``/Cabinet/CabinetError/Code/notAuthenticated`` if the remote container has no user, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if it has a key store, or if the selection names the default zone of iCloud.
    public init(
        mirroring remote: Container, in backend: any StorageBackend,
        configuration: MirrorConfiguration = MirrorConfiguration(), limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        if remote.reportsNoDefaultZone, configuration.selection.zoneIDs?.contains(.default) == true {
            throw Container.noDefaultZone(nil)
        }
        if remote.hasKeyStore {
            throw CabinetError(
                .invalidArguments,
                "A mirror does not store keys of encrypted values. Mirror the container without encrypting(with:), and use the encrypting "
                    + "one for records with encrypted values.")
        }
        let resolver = configuration.resolver
        let policy = MirrorPolicy(
            keepsEdits: configuration.deletionConflict == .editWins,
            fetchesAssets: configuration.assets.fetching == .atOnce
        ) {
            try resolver.record(for: $0)
        }
        // Local subscriptions report what others have changed, so the changes of the server are not those of this device.
        let server = Caller(account: remote.caller.account, deviceID: "mirror")
        let scopes = configuration.selection.scopes
        let state = MirrorState(scopes)
        contexts = try scopes.map { scope in
            let local = try LocalDatabaseService(
                mirrorIn: backend, of: scope, limits: limits, changeRetention: changeRetention, now: now)
            let store = try MirrorStore(local, for: server, policy: policy)
            return MirrorContext(scope, store, local, remote, configuration, state, now: now)
        }
        (self.state, self.remote) = (state, remote)
        runner = configuration.automaticallySyncs ? MirrorRunner(contexts, state, now: now) : nil
        runner?.start()
    }

    deinit { runner?.cancel() }

    /// Returns a container of the service, which closes it.
    ///
    /// - Throws: Nothing that the creation of the remote container has not thrown.
    public func container() throws -> Container {
        try Container(
            identifier: remote.containerIdentifier, owning: self, account: remote.caller.account,
            deviceID: remote.deviceID)
    }

    /// Returns the local copy of a database; `nil` if it is not mirrored.
    func context(of scope: DatabaseScope) -> MirrorContext? { contexts.first { $0.scope == scope } }

    /// Answers a request: one of a mirrored database from the local store, and another from the remote container.
    ///
    /// - Throws: The errors of the local store, or of the remote container.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await request.response(from: MirrorRequestHandler(mirror: self, caller: caller))
    }

    /// Answers a request from a local copy, and sends what it has changed.
    func answer<Request: ServiceRequest>(
        _ request: Request, from context: MirrorContext, for caller: Caller
    ) async throws -> Request.Response {
        defer { if Request.effect != .none { runner?.wakeSend() } }
        return try await context.answer(request, for: caller)
    }

    /// Answers a request from the remote container.
    func answerRemotely<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await remote.service.perform(request, for: caller)
    }

    /// Appends bytes to an upload.
    ///
    /// - Throws: The errors of ``/Cabinet/DatabaseService/send(_:to:at:for:)``.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        for context in contexts {
            do {
                return try await context.local.send(bytes, to: upload, at: offset, for: caller)
            } catch CabinetError.Code.unknownItem {
                continue
            }
        }
        try await remote.service.send(bytes, to: upload, at: offset, for: caller)
    }

    /// Reads bytes of an asset: those that the local store lacks from the remote container, and keeps them.
    ///
    /// - Throws: The errors of ``/Cabinet/DatabaseService/bytes(of:of:in:scope:for:)``, and those of the network.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        guard let context = context(of: scope) else {
            return try await remote.service.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        }
        let local = context.local
        do {
            let bytes = try await local.bytes(of: asset, of: recordID, in: range, scope: .private, for: caller)
            await context.assets.use(asset)
            return bytes
        } catch CabinetError.Code.assetNotAvailable {
            guard try await context.assets.fetch(asset, of: recordID) else {
                return try await remote.service.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
            }
            return try await local.bytes(of: asset, of: recordID, in: range, scope: .private, for: caller)
        }
    }

    /// Returns signals: those of the local copies, and for records that have none those of the server.
    ///
    /// - Throws: The errors of ``/Cabinet/DatabaseService/signals(of:for:)``.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        var streams = try scopes.compactMap { try context(of: $0)?.local.signals(of: [.private], for: caller) }
        let others = scopes.filter { $0 == .public || context(of: $0) == nil }
        if !others.isEmpty { streams.append(try remote.service.signals(of: others, for: caller)) }
        if streams.count == 1 { return streams[0] }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [streams] in
            await withTaskGroup(of: Void.self) { group in
                for signals in streams {
                    group.addTask { for await _ in signals { continuation.yield() } }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Ends fetching and sending, and closes the local store and the remote container.
    public func close() async {
        await runner?.stop()
        for context in contexts { await context.stop() }
        for context in contexts { await context.local.close() }
        await remote.close()
        state.close()
    }

    /// Wakes the send at once, after a decision of the program.
    func wakeSend() { runner?.wakeSend(isUrgent: true) }

    /// Wakes the fetch at once, after a request that has changed what the user may see.
    func wakeFetch() { runner?.wakeFetch() }
}
