import Foundation

/// A service that applies the rules to a backend in this process.
///
/// Each request is one transaction of the backend. The rules are values of their own; this type loads their input, and applies
/// them in order.
struct LocalDatabaseService: DatabaseService {
    let backend: any StorageBackend
    let accountRule: AccountRule
    let ownerRule: OwnerRule
    let limits: Limits
    let retention: ChangeRetention
    let deviceID: String
    let now: @Sendable () -> Date
    /// The schema that limits requests, if the container is strict.
    let strictSchema: StrictSchema?
    /// Delivers changes to live queries.
    let tracker: ChangeTracker
    /// The files of assets, if the backend has none.
    let assetFiles: AssetFiles
    let subscriptionCache: SubscriptionCache

    init(
        backend: any StorageBackend, account: Account?, schema: SchemaMode, limits: Limits, retention: ChangeRetention,
        deviceID: String, now: @escaping @Sendable () -> Date, subscriptionCache: SubscriptionCache = .shared
    ) throws {
        self.backend = backend
        self.accountRule = AccountRule(account: account)
        self.ownerRule = OwnerRule(user: account?.userRecordName)
        self.limits = limits
        self.retention = retention
        self.deviceID = deviceID
        self.now = now
        self.subscriptionCache = subscriptionCache
        strictSchema = try StrictSchema(schema)
        tracker = ChangeTracker(backend)
        assetFiles = AssetFiles()
    }

    var userRecordName: String? { accountRule.account?.userRecordName }

    var isClosed: Bool { tracker.isFinished }

    func close() async {
        tracker.finish()
        await backend.close()
        assetFiles.remove()
    }

    /// Throws if a request names more records than one request may.
    func checkCount(_ count: Int) throws {
        if let limit = limits.itemsPerRequest, count > limit {
            throw CabinetError(
                .limitExceeded, "The request has \(count) items; the limit is \(limit). Split it in half and send both."
            )
        }
    }
}
