public import Cabinet

/// The requests of the service seam, by the names that stand in their paths.
///
/// A server decodes a request of any type, performs it, and encodes the response:
///
/// ```swift
/// let body = try await RequestCatalog.perform(
///     "fetchZones", json, for: caller, on: service)
/// ```
public enum RequestCatalog {
    /// Every request; a test compares the list with the requests that a handler answers.
    private static let types: [any ServiceRequest.Type] = [
        AcceptSharesRequest.self, AggregateRequest.self, BeginUploadRequest.self, ChangeSchemaRequest.self,
        EndUploadsRequest.self,
        ExplainQueryRequest.self, FetchDatabaseChangesRequest.self, FetchLiveChangesRequest.self,
        FetchMigrationsRequest.self, FetchNotificationsRequest.self, FetchRecordsRequest.self, FetchSchemaRequest.self,
        FetchShareMetadataRequest.self, FetchSubscriptionsRequest.self, FetchZoneChangesRequest.self,
        FetchZonesRequest.self, FindAssetsRequest.self,
        FindUsersRequest.self, FinishUploadRequest.self, ModifyRecordsRequest.self, ModifySchemaRequest.self,
        ModifySubscriptionsRequest.self,
        ModifyZonesRequest.self, QueryRecordsRequest.self, RequestShareAccessRequest.self, ValidateQueryRequest.self,
    ]

    private static let typesByName = Dictionary(types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The names of all requests, in order.
    public static let names = typesByName.keys.sorted()

    /// Returns the effect of a request on the store, or `nil` if no request has the name.
    ///
    /// - Parameter name: The request's name.
    /// - Returns: The effect, by which a server counts writes, and a client decides whether to repeat a request.
    public static func effect(of name: String) -> RequestEffect? { typesByName[name]?.effect }

    /// Decodes a request, has a service perform it, and encodes the response.
    ///
    /// - Parameters:
    ///   - name: The request's name.
    ///   - body: The coded request.
    ///   - caller: The user and device that the request acts for.
    ///   - service: The service that answers.
    /// - Returns: The coded response.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if no request has the name, or the body is not one of its
    ///   requests; the errors of the service.
    public static func perform(
        _ name: String, _ body: [UInt8], for caller: Caller, on service: any DatabaseService
    ) async throws -> [UInt8] {
        guard let type = typesByName[name] else {
            let hint = names.nearest(to: name).map { " Did you mean '\($0)'?" } ?? ""
            throw CabinetError(.invalidArguments, "There is no request '\(name.prefix(255))'.\(hint)")
        }
        return try await perform(type, body, for: caller, on: service)
    }

    private static func perform<Request: ServiceRequest>(
        _ type: Request.Type, _ body: [UInt8], for caller: Caller, on service: any DatabaseService
    ) async throws -> [UInt8] {
        let request = try Request.coding.decode(body)
        let response = try await service.perform(request, for: caller)
        return try Request.Response.coding.encode(response)
    }
}
