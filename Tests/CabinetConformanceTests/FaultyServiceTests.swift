import Testing

@testable import Cabinet
@testable import CabinetConformance

/// A fault of the core, which no backend can have.
enum ServiceFault {
    /// Success is reported for records of an atomic batch that failed.
    case swallowsFailures
    /// A request goes on when its task is cancelled.
    case ignoresCancellation
    /// A field that was set to the fetched number in another type is sent.
    case sendsEqualNumbers
}

/// A service with a fault.
private struct FaultyService: DatabaseService {
    let base: any DatabaseService
    let fault: ServiceFault

    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        switch fault {
        case .swallowsFailures:
            var response = try await base.modify(request, progress: progress)
            guard request.isAtomic else { return response }
            for record in request.recordsToSave where response.saveResults[record.recordID]?.record == nil {
                response.saveResults[record.recordID] = .success(record)
            }
            response.deleteResults = response.deleteResults.mapValues { _ in .success(()) }
            return response
        case .ignoresCancellation:
            return try await Task { try await base.modify(request, progress: progress) }.value
        case .sendsEqualNumbers:
            var request = request
            request.recordsToSave = request.recordsToSave.map(\.sendingEqualNumbers)
            return try await base.modify(request, progress: progress)
        }
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

extension Record {
    /// The record as if the fields whose type has changed had not been fetched.
    fileprivate var sendingEqualNumbers: Record {
        guard var fetched else { return self }
        for (key, value) in zip(fields.names.names, fields.values) {
            if let value, fetched.fields[key].map({ $0.fieldType != value.fieldType }) == true {
                fetched.fields[key] = nil
            }
        }
        return Record(header: header, fields: fields, fetched: fetched)
    }
}

@Suite("Faults of the core")
struct FaultyServiceTests {
    @Test(
        "The rules find them",
        arguments: [
            (ServiceFault.swallowsFailures, "an atomic batch that fails throws"),
            (.swallowsFailures, "one failure changes nothing in an atomic batch"),
            (.swallowsFailures, "a failure stays in its zone"),
            (.ignoresCancellation, "a cancelled task's request is refused"),
            (.ignoresCancellation, "a cascade that is cancelled reads and changes no more"),
            (.sendsEqualNumbers, "a number that equals the fetched one is not sent"),
        ])
    func isFound(_ fault: ServiceFault, _ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(60)) {
                container in
                var faulty = container
                faulty.service = FaultyService(base: container.service, fault: fault)
                return faulty
            }
        }
    }
}
