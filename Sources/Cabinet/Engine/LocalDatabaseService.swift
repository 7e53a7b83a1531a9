public import Foundation

/// A service that applies the rules to a backend in this process, for any number of users.
///
/// ```swift
/// let service = try LocalDatabaseService(backend: backend)
/// let ann = try Container(
///     identifier: "com.example.notes", service: service,
///     account: Account(userRecordName: "_ann"))
/// let ben = try Container(
///     identifier: "com.example.notes", service: service,
///     account: Account(userRecordName: "_ben"))
/// ```
///
/// Create one service for a backend: its containers share what it keeps of schemas, subscriptions and changes. A container costs as
/// much as a small value.
///
/// Each request is one transaction of the backend. The rules are values of their own; the service loads their input, and applies
/// them in order.
public final class LocalDatabaseService: DatabaseService {
    let backend: any StorageBackend
    let limits: Limits
    let retention: ChangeRetention
    let now: @Sendable () -> Date
    /// The schema that limits requests, if the service is strict.
    let declaredSchema: DeclaredSchema?
    /// The latest changes of the databases with live queries.
    let tracker: ChangeTracker
    let subscriptionCache: SubscriptionCache
    let uploads: UploadRegistry
    /// Returns the address of a server before the short GUIDs of shares.
    private let shareURL: @Sendable () -> URL?
    /// The server's database that the private database copies, which remembers what it has to send; `nil` outside of a mirror.
    let mirroredScope: DatabaseScope?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - backend: The store, which ``close()`` closes.
    ///   - schema: Whether saves may add types and fields to the schema.
    ///   - limits: The limits of requests.
    ///   - changeRetention: The limits up to which deletions and notifications are remembered.
    ///   - now: The clock that dates the changes.
    ///   - shareURL: Returns the address of a server before the last parts of ``Share/url``, such as `https://records.example.com/share`,
    ///     which shares have that are saved from then on; `nil` for URLs that containers of the store alone understand.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a strict schema is malformed.
    public convenience init(
        backend: any StorageBackend, schema: SchemaMode = .growing, limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), now: @escaping @Sendable () -> Date = { Date() },
        shareURL: @escaping @Sendable () -> URL? = { nil }
    ) throws {
        try self.init(
            backend: backend, schema: schema, limits: limits, changeRetention: changeRetention, now: now,
            subscriptionCache: .shared, shareURL: shareURL)
    }

    init(
        backend: any StorageBackend, schema: SchemaMode, limits: Limits, changeRetention: ChangeRetention,
        now: @escaping @Sendable () -> Date, subscriptionCache: SubscriptionCache, mirroredScope: DatabaseScope? = nil,
        shareURL: @escaping @Sendable () -> URL? = { nil }
    ) throws {
        self.mirroredScope = mirroredScope
        self.shareURL = shareURL
        self.backend = backend
        self.limits = limits
        retention = changeRetention
        self.now = now
        self.subscriptionCache = subscriptionCache
        declaredSchema = try DeclaredSchema(schema, backend)
        tracker = ChangeTracker(backend)
        uploads = UploadRegistry()
    }

    /// The address before the short GUIDs of shares, without a slash at its end.
    var shareBaseURL: String? {
        guard var text = shareURL()?.absoluteString else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Creates the local service of a mirror, which remembers each change of its private database that was not sent.
    ///
    /// - Parameters:
    ///   - backend: The store, which can have the copies of several databases, each with a service of its own.
    ///   - scope: The server's database that the private database copies.
    ///   - schema: Whether saves may add types and fields to the schema.
    ///   - limits: The limits of requests.
    ///   - changeRetention: The limits up to which deletions and notifications are remembered.
    ///   - now: The clock that dates the changes.
    convenience package init(
        mirrorIn backend: any StorageBackend, of scope: DatabaseScope, schema: SchemaMode = .growing, limits: Limits,
        changeRetention: ChangeRetention, now: @escaping @Sendable () -> Date
    ) throws {
        try self.init(
            backend: backend, schema: schema, limits: limits, changeRetention: changeRetention, now: now,
            subscriptionCache: .shared, mirroredScope: scope)
    }

    /// Answers a request.
    ///
    /// - Throws: The errors of ``DatabaseService/perform(_:for:)``, and ``CabinetError/Code/zoneBusy`` if other clients change the schema
    ///   again and again.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        guard let declaredSchema else {
            return try await request.response(from: LocalRequestHandler(service: self, caller: caller))
        }
        for attempt in 0..<Self.maximumSchemaReads {
            let (schema, isCurrent) = try await declaredSchema.latest(reading: attempt > 0)
            do {
                return try await request.response(
                    from: LocalRequestHandler(
                        service: self, caller: caller, strictSchema: schema, isSchemaCurrent: isCurrent))
            } catch is OutdatedSchemaError {
                continue
            }
        }
        throw CabinetError(
            .zoneBusy, "Another client changes the schema of the database at this time. Repeat the request.")
    }

    /// The number of times that a request is repeated because the schema changes.
    private static let maximumSchemaReads = 8

    /// Appends bytes to an upload.
    ///
    /// - Throws: The errors of ``DatabaseService/send(_:to:at:for:)``.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try StoredAsset.check(part: Int64(bytes.count))
        try await uploads.upload(upload, of: caller).append(bytes, at: offset)
    }

    /// Reads bytes of an asset.
    ///
    /// - Throws: The errors of ``DatabaseService/bytes(of:of:in:scope:for:)``.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        // A negative position is in no asset, which is reported later.
        if range.lowerBound >= 0 { try StoredAsset.check(part: range.upperBound - range.lowerBound) }
        return try await LocalRequestHandler(service: self, caller: caller)
            .bytes(of: asset, of: recordID, in: range, scope: scope)
    }

    /// Returns signals of changes.
    ///
    /// - Throws: The errors of ``DatabaseService/signals(of:for:)``.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        let rule = AccountRule(account: caller.account, mirroredScope: mirroredScope)
        let histories = try scopes.map { tracker.history(of: try rule.databaseToRead($0)) }
        guard scopes.contains(.shared), let user = caller.userRecordName else {
            return ChangeHistory.arrivals(in: histories)
        }
        return sharedSignals(of: user, with: histories)
    }

    /// Closes the service and its backend.
    public func close() async {
        tracker.finish()
        declaredSchema?.finish()
        await uploads.endAll()
        await backend.close()
    }
}

/// Answers the requests of one caller.
struct LocalRequestHandler: RequestHandler {
    let service: LocalDatabaseService
    let caller: Caller
    /// The schema that limits the request, if the service is strict.
    var strictSchema: StrictSchema?
    /// Whether no other process can have changed the strict schema before the request began.
    var isSchemaCurrent = false
    /// The way to the zones of another user that the requests are about; `nil` for the caller's own databases.
    var route: ZoneRoute?
    /// Whether the changes come from the server of a mirror, so that they need not be sent.
    var isFromServer = false

    /// Whether changes of a database have to be sent to the server of a mirror.
    func isPending(in scope: DatabaseScope) -> Bool {
        service.mirroredScope != nil && !isFromServer && scope == .private
    }

    var backend: any StorageBackend { service.backend }
    var limits: Limits { service.limits }
    var accountRule: AccountRule {
        AccountRule(account: caller.account, mirroredScope: service.mirroredScope)
    }
    var ownerRule: OwnerRule { OwnerRule(user: route?.owner ?? caller.userRecordName) }
    var userRecordName: String? { caller.userRecordName }
    var roles: Set<String> { caller.account?.roles ?? [] }

    /// Returns the database that a request reads.
    func databaseToRead(_ scope: DatabaseScope) throws(CabinetError) -> DatabaseKey {
        if let route { return route.database }
        return try accountRule.databaseToRead(scope)
    }

    /// Returns the database that a request changes, and the user that changes it.
    func databaseToWrite(_ scope: DatabaseScope) throws(CabinetError) -> (key: DatabaseKey, user: String) {
        let (key, user) = try accountRule.databaseToWrite(scope)
        return (route?.database ?? key, user)
    }

    /// Throws if a request names more records than one request may.
    func checkCount(_ count: Int) throws {
        if let limit = limits.itemsPerRequest, count > limit {
            throw CabinetError(
                .limitExceeded, "The request has \(count) items; the limit is \(limit). Split it in half and send both."
            )
        }
    }

    /// Throws if a request names an item twice.
    func checkOnce<ID: Hashable>(_ ids: [ID], _ kind: String) throws(CabinetError) {
        var seen: Set<ID> = []
        for id in ids where !seen.insert(id).inserted {
            throw CabinetError(
                .invalidArguments, "The request names the \(kind) '\(id)' twice; it can be saved or deleted once.")
        }
    }
}
