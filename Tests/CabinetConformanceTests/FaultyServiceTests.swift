import Testing

@testable import Cabinet
@testable import CabinetConformance

/// A service that reports success for records of an atomic batch that failed.
private struct SwallowingService: DatabaseService {
    let base: any DatabaseService

    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        var response = try await base.modify(request, progress: progress)
        if request.isAtomic {
            for record in request.recordsToSave where response.saveResults[record.recordID]?.record == nil {
                response.saveResults[record.recordID] = .success(record)
            }
            response.deleteResults = response.deleteResults.mapValues { _ in .success(()) }
        }
        return response
    }

    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>] {
        try await base.fetch(request)
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse { try await base.query(request) }

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

    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        try await base.subscriptions(request)
    }

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse {
        try await base.modifySubscriptions(request)
    }

    var userRecordName: String? { base.userRecordName }

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

    func observe(_ request: QueryRequest) throws -> QueryObservation { try base.observe(request) }

    func notifications(_ request: NotificationsRequest) async throws -> NotificationsResponse {
        try await base.notifications(request)
    }

    func notificationSignals() throws -> AsyncStream<Void> { try base.notificationSignals() }

    var isClosed: Bool { base.isClosed }

    func close() async { await base.close() }
}

@Suite("A service that swallows failures")
struct SwallowingServiceTests {
    @Test(
        "is found by the rules about atomic batches",
        arguments: [
            "an atomic batch that fails throws", "one failure changes nothing in an atomic batch",
            "a failure stays in its zone",
        ])
    func isFound(_ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(60)) {
                container in
                var swallowing = container
                swallowing.service = SwallowingService(base: container.service)
                return swallowing
            }
        }
    }
}
