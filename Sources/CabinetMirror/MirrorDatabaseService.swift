public import Cabinet
public import Foundation

/// A service whose private database works without a network, and mirrors that of a container elsewhere.
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
/// Reads and writes of the private database are those of the local store: they need no network, and have all of its features. The
/// store itself knows which changes were not sent, from the transaction of the write. The requests of the public and of the shared
/// database, and those about shares and users, go to the remote container.
public final class MirrorDatabaseService: DatabaseService {
    let context: MirrorContext
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
    /// - Throws: ``/Cabinet/CabinetError/Code/notAuthenticated`` if the remote container has no user.
    public init(
        mirroring remote: Container, in backend: any StorageBackend,
        configuration: MirrorConfiguration = MirrorConfiguration(), limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let local = try LocalDatabaseService(
            mirrorIn: backend, limits: limits, changeRetention: changeRetention, now: now)
        let resolver = configuration.resolver
        let policy = MirrorPolicy(keepsEdits: configuration.deletionConflict == .editWins) {
            try resolver.record(for: $0)
        }
        // Local subscriptions report what others have changed, so the changes of the server are not those of this device.
        let server = Caller(account: remote.caller.account, deviceID: "mirror")
        let store = try MirrorStore(local, for: server, in: .private, policy: policy)
        context = MirrorContext(store, local, remote, configuration, now: now)
        runner = configuration.automaticallySyncs ? MirrorRunner(context) : nil
        runner?.start()
    }

    deinit { runner?.cancel() }

    /// Returns a container of the service, which closes it.
    ///
    /// - Throws: Nothing that the creation of the remote container has not thrown.
    public func container() throws -> Container {
        try Container(
            identifier: context.remote.containerIdentifier, owning: self, account: context.remote.caller.account,
            deviceID: context.remote.deviceID)
    }

    /// Answers a request: one of the private database from the local store, and another from the remote container.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await request.response(from: MirrorRequestHandler(mirror: self, caller: caller))
    }

    /// Answers a request from the local store.
    func answerLocally<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        guard Request.effect != .none else { return try await context.local.perform(request, for: caller) }
        context.state.beginChange()
        defer {
            context.state.endChange()
            runner?.wakeSend()
        }
        return try await context.local.perform(request, for: caller)
    }

    /// Answers a request from the remote container.
    func answerRemotely<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await context.remote.service.perform(request, for: caller)
    }

    /// Appends bytes to an upload.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        do {
            try await context.local.send(bytes, to: upload, at: offset, for: caller)
        } catch CabinetError.Code.unknownItem {
            try await context.remote.service.send(bytes, to: upload, at: offset, for: caller)
        }
    }

    /// Reads bytes of an asset: those that the local store lacks from the remote container, and keeps them.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        let remote = context.remote.service
        guard scope == .private else {
            return try await remote.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        }
        do {
            let bytes = try await context.local.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
            await context.assets.use(asset)
            return bytes
        } catch CabinetError.Code.assetNotAvailable {
            guard try await context.assets.copy(asset, of: recordID) else {
                return try await remote.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
            }
            return try await context.local.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        }
    }

    /// Returns signals, of the private database those of the local store.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        let others = scopes.filter { $0 != .private }
        if others.isEmpty { return try context.local.signals(of: scopes, for: caller) }
        let remote = try context.remote.service.signals(of: others, for: caller)
        guard scopes.contains(.private) else { return remote }
        let local = try context.local.signals(of: [.private], for: caller)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                for signals in [local, remote] {
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
        await context.local.close()
        await context.remote.close()
        context.state.close()
    }

    /// Wakes the send at once, after a decision of the program.
    func wakeSend() { runner?.wakeSend(isUrgent: true) }
}
