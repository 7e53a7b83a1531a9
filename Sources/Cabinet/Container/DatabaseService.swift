/// What a ``Database`` talks to: something that knows the rules and has the records.
///
/// Everything that crosses this seam is a value that could be sent over a wire, so that the service may be in this process or
/// a network away.
protocol DatabaseService: Sendable {
    /// The record name of the account's user, or `nil` without an account.
    var userRecordName: String? { get }

    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>]

    /// Saves and deletes records; tells how far the bytes of assets have come, which is no part of the request.
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse

    func query(_ request: QueryRequest) async throws -> QueryResponse

    func count(_ request: CountRequest) async throws -> Int

    func value(_ request: AggregateRequest) async throws -> FieldValue?

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount]

    func groups(_ request: GroupedAggregateRequest) async throws -> [AggregateGroup]

    func explain(_ request: ExplainRequest) async throws -> QueryExplanation

    /// Checks a query, and the fields that its records are to have, without running it.
    func validate(_ request: QueryRequest) async throws

    func schema(_ scope: Database.Scope) async throws -> StoredSchema

    func apply(_ schema: Schema, to scopes: [Database.Scope]) async throws

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

    /// Tells when there may be notifications; the stream ends when the service is closed.
    func notificationSignals() throws -> AsyncStream<Void>

    /// Whether ``close()`` was called.
    var isClosed: Bool { get }

    func close() async
}

/// Asks for records by ID.
struct FetchRequest: Sendable {
    var scope: Database.Scope
    var recordIDs: [RecordID]
    var desiredKeys: [Record.FieldKey]?
}

/// Asks for records to be saved and deleted.
struct ModifyRequest: Sendable {
    var scope: Database.Scope
    var recordsToSave: [Record]
    var recordIDsToDelete: [RecordID]
    var savePolicy: RecordSavePolicy
    var isAtomic: Bool
    /// Whether the response has a place in the changes.
    var asksForPlace = false
}

/// What became of each record of a ``ModifyRequest``.
struct ModifyResponse: Sendable {
    var saveResults: [RecordID: Result<Record, CabinetError>]
    var deleteResults: [RecordID: Result<Void, CabinetError>]
    /// A place from which no change is known, and deletions are of concern that were made after the request.
    var place: ChangePlace?
}

/// Asks for one page of a query's records.
struct QueryRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
    /// The place in the query's order after which the page begins.
    var position: QueryPosition?
    var desiredKeys: [Record.FieldKey]?
    var resultsLimit: Int
    /// Whether the page must hold the first records of the order, and not just any.
    var isOrdered = true
}

/// One page of a query's records.
struct QueryResponse: Sendable {
    var records: [Record]
    /// The place after the last record; `nil` if there are no more.
    var position: QueryPosition?
}

/// The results of an observed query, each sent when its reader asks for it.
///
/// Nothing is buffered for a reader that does not ask. The observation ends when the value is released.
struct QueryObservation {
    /// Waits for the next result: the first at once, and then whenever the records have changed.
    ///
    /// The result is `nil` once the task is cancelled or the service is closed. After an error, the next call runs the query again.
    let next: () async throws -> [Record]?
}

/// Asks for one value of a field of a query's records.
struct AggregateRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
    var aggregate: Aggregate
    var key: Record.FieldKey
}

/// Asks for the number of a query's records by the values of a field.
struct ValueCountsRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
    var key: Record.FieldKey
}

/// Asks for an aggregate of a field of a query's records, for each value of another field.
struct GroupedAggregateRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
    var aggregate: Aggregate
    var key: Record.FieldKey
    var group: Record.FieldKey
}

/// Asks how a query's records are found.
struct ExplainRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
}

/// Asks for the number of a query's records.
struct CountRequest: Sendable {
    var scope: Database.Scope
    var query: Query
    var zoneID: RecordZone.ID?
}

/// Asks for zones.
struct FetchZonesRequest: Sendable {
    var scope: Database.Scope
    /// The zones' IDs, or `nil` for all zones.
    var zoneIDs: [RecordZone.ID]?
}

/// Asks for zones to be saved and deleted.
struct ModifyZonesRequest: Sendable {
    var scope: Database.Scope
    var zonesToSave: [RecordZone]
    var zoneIDsToDelete: [RecordZone.ID]
}

/// What became of each zone of a ``ModifyZonesRequest``.
struct ModifyZonesResponse: Sendable {
    var saveResults: [RecordZone.ID: Result<RecordZone, CabinetError>]
    var deleteResults: [RecordZone.ID: Result<Void, CabinetError>]
}
