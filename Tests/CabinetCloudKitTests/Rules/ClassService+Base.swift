@testable import Cabinet

/// The requests that CloudKit does not have.
extension ClassService {
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
