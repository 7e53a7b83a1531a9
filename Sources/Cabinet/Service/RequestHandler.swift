/// A responder to the requests of one caller, each by its type.
///
/// An engine has one, and so has a service that translates the requests to another protocol. A wrapper, which only
/// passes requests on, needs ``DatabaseService`` alone.
public protocol RequestHandler: Sendable {
    /// Fetches records.
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response
    /// Saves and deletes records.
    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response
    /// Returns a page of a query.
    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response
    /// Returns aggregates of a query.
    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response
    /// Explains a query.
    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response
    /// Checks a query.
    func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response
    /// Returns the schema of a database.
    func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response
    /// Adds a schema to databases.
    func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response
    /// Changes a part of the schemas of databases.
    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response
    /// Returns the migrations of a database.
    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response
    /// Fetches zones.
    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response
    /// Saves and deletes zones.
    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response
    /// Returns a page of the changed zones.
    func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response
    /// Returns a page of the changes in a zone.
    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response
    /// Returns the changes for a live query.
    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response
    /// Returns what the user may learn of shares.
    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response
    /// Makes the user a participant of shares.
    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response
    /// Asks the owners of shares to let the user take part.
    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response
    /// Finds users by their addresses.
    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response
    /// Fetches subscriptions.
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response
    /// Saves and deletes subscriptions.
    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response
    /// Returns a page of notifications.
    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response
    /// Finds stored assets.
    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response
    /// Begins an upload.
    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response
    /// Finishes an upload.
    func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response
    /// Releases uploads.
    func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response
}
