/// The interface between a ``Database`` and the rules with the records.
///
/// Everything that crosses this seam is a value that could be sent over a wire, so the service may run in this process or on a
/// server.
protocol DatabaseService: Sendable {
    /// The record name of the account's user, or `nil` without an account.
    var userRecordName: String? { get }

    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>]

    /// Saves and deletes records, and reports the progress of their assets.
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse

    func query(_ request: QueryRequest) async throws -> QueryResponse

    func count(_ request: CountRequest) async throws -> Int

    func value(_ request: AggregateRequest) async throws -> FieldValue?

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount]

    func groups(_ request: GroupedAggregateRequest) async throws -> [AggregateGroup]

    func explain(_ request: ExplainRequest) async throws -> QueryExplanation

    /// Checks a query and its desired keys without running it.
    func validate(_ request: QueryRequest) async throws

    func schema(_ scope: DatabaseScope) async throws -> Schema

    /// Adds a schema to databases; a complete one must have all types and fields that they have.
    func apply(_ schema: Schema, to scopes: [DatabaseScope], isComplete: Bool) async throws

    func zones(_ request: FetchZonesRequest) async throws -> [RecordZone.ID: Result<RecordZone, CabinetError>]

    func modifyZones(_ request: ModifyZonesRequest) async throws -> ModifyZonesResponse

    func databaseChanges(_ request: DatabaseChangesRequest) async throws -> DatabaseChangesResponse

    func zoneChanges(_ request: ZoneChangesRequest) async throws -> ZoneChangesResponse

    /// Begins to observe a query.
    func observe(_ request: QueryRequest) throws -> QueryObservation

    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>]

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse

    func notifications(_ request: NotificationsRequest) async throws -> NotificationsResponse

    /// Returns signals when notifications may have arrived; the stream ends when the service is closed.
    func notificationSignals() throws -> AsyncStream<Void>

    /// Whether ``close()`` was called.
    var isClosed: Bool { get }

    func close() async
}
