import Synchronization

@testable import Cabinet

/// A service that counts the queries and fetches which it passes on.
final class CountingService: DatabaseService {
    private let base: any DatabaseService
    private let counts = Mutex((fetches: 0, queries: 0))

    init(_ base: any DatabaseService) {
        self.base = base
    }

    var fetches: Int { counts.withLock(\.fetches) }
    var queries: Int { counts.withLock(\.queries) }
    var userRecordName: String? { base.userRecordName }
    var isClosed: Bool { base.isClosed }

    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>] {
        counts.withLock { $0.fetches += 1 }
        return try await base.fetch(request)
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse {
        counts.withLock { $0.queries += 1 }
        return try await base.query(request)
    }

    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        try await base.modify(request, progress: progress)
    }

    func count(_ request: CountRequest) async throws -> Int { try await base.count(request) }

    func value(_ request: AggregateRequest) async throws -> FieldValue? { try await base.value(request) }

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount] { try await base.counts(request) }

    func groups(_ request: GroupedAggregateRequest) async throws -> [AggregateGroup] {
        try await base.groups(request)
    }

    func explain(_ request: ExplainRequest) async throws -> QueryExplanation { try await base.explain(request) }

    func validate(_ request: QueryRequest) async throws { try await base.validate(request) }

    func schema(_ scope: DatabaseScope) async throws -> Schema { try await base.schema(scope) }

    func apply(_ schema: Schema, to scopes: [DatabaseScope], isComplete: Bool) async throws {
        try await base.apply(schema, to: scopes, isComplete: isComplete)
    }

    func zones(_ request: FetchZonesRequest) async throws -> [RecordZone.ID: Result<RecordZone, CabinetError>] {
        try await base.zones(request)
    }

    func modifyZones(_ request: ModifyZonesRequest) async throws -> ModifyZonesResponse {
        try await base.modifyZones(request)
    }

    func databaseChanges(_ request: DatabaseChangesRequest) async throws -> DatabaseChangesResponse {
        try await base.databaseChanges(request)
    }

    func zoneChanges(_ request: ZoneChangesRequest) async throws -> ZoneChangesResponse {
        try await base.zoneChanges(request)
    }

    func observe(_ request: QueryRequest) throws -> QueryObservation { try base.observe(request) }

    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        try await base.subscriptions(request)
    }

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse {
        try await base.modifySubscriptions(request)
    }

    func notifications(_ request: NotificationsRequest) async throws -> NotificationsResponse {
        try await base.notifications(request)
    }

    func notificationSignals() throws -> AsyncStream<Void> { try base.notificationSignals() }

    func close() async { await base.close() }
}

extension Database {
    /// The same database over another service.
    func over(_ service: any DatabaseService) -> Database {
        Database(
            databaseScope: databaseScope, zoneID: zoneID, containerIdentifier: containerIdentifier, service: service)
    }
}
