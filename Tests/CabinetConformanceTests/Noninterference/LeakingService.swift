import CabinetConformance

@testable import Cabinet

/// A fault of a service: it shows something of records that a user may not read.
enum Leak: CaseIterable {
    case nothing
    /// A count counts them.
    case count
    /// The text of an error names one.
    case errorText
    /// The position in the feed shows their number.
    case feedPosition
    /// A notification is missing if there are many.
    case notification
}

/// A service that lets a user find out about records that the user may not read.
struct LeakingService: DatabaseService {
    let base: any DatabaseService
    let leak: Leak
    /// The database, as an editor sees it.
    let insider: Database

    /// Lets a container leak.
    static func adapt(_ container: Container, _ leak: Leak) throws -> Container {
        var container = container
        let account = Account(userRecordName: "_insider", roles: ["Editor"])
        let insider = try Container(
            identifier: container.containerIdentifier, backend: container.backend, account: account)
        container.service = LeakingService(base: container.service, leak: leak, insider: insider.publicDatabase)
        return container
    }

    private var hidden: [String] {
        get async throws {
            try await insider.allRecords(matching: Query(recordType: "Secrets")).map(\.recordID.recordName)
        }
    }

    var userRecordName: String? { base.userRecordName }
    var isClosed: Bool { base.isClosed }

    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>] {
        let results = try await base.fetch(request)
        guard leak == .errorText, let name = try await hidden.last else { return results }
        return results.mapValues { result in
            result.mapError { CabinetError($0.code, "The record is in the way of '\(name)'.", recordID: $0.recordID) }
        }
    }

    func count(_ request: CountRequest) async throws -> Int {
        let count = try await base.count(request)
        return leak == .count ? try await count + hidden.count : count
    }

    func zoneChanges(_ request: ZoneChangesRequest) async throws -> ZoneChangesResponse {
        var response = try await base.zoneChanges(request)
        if leak == .feedPosition, try await hidden.count > 12 { response.place.tombstoneHorizon += 1 }
        return response
    }

    func notifications(_ request: NotificationsRequest) async throws -> NotificationsResponse {
        var response = try await base.notifications(request)
        if leak == .notification, try await hidden.count > 12 {
            response.notifications = response.notifications.dropLast()
        }
        return response
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse { try await base.query(request) }

    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        try await base.modify(request, progress: progress)
    }

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

    func observe(_ request: QueryRequest) throws -> QueryObservation { try base.observe(request) }

    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        try await base.subscriptions(request)
    }

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse {
        try await base.modifySubscriptions(request)
    }

    func notificationSignals() throws -> AsyncStream<Void> { try base.notificationSignals() }

    func close() async { await base.close() }
}
