@testable import Cabinet

/// The requests that CloudKit does not have.
extension ClassHandler {
    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        try await base(request)
    }

    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        try await base(request)
    }

    func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response {
        try await base(request)
    }

    func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response {
        try await base(request)
    }

    func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response {
        try await base(request)
    }

    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        try await base(request)
    }

    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        try await base(request)
    }

    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        try await base(request)
    }

    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        try await base(request)
    }

    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        try await base(request)
    }

    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        try await base(request)
    }

    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        try await base(request)
    }

    func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response {
        try await base(request)
    }

    func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response {
        try await base(request)
    }
}

extension Dictionary {
    /// The results of a request, in the order of its items.
    func inOrder<Success>(of ids: [Key]) -> [Result<Success, CabinetError>]
    where Value == Result<Success, CabinetError> {
        ids.map { self[$0] ?? .failure(CabinetError(.internalError, "CloudKit's classes left \($0) out.")) }
    }

    /// The errors of a request's deletions, in the order of its items.
    func errors(inOrderOf ids: [Key]) -> [CabinetError?] where Value == Result<Void, CabinetError> {
        inOrder(of: ids).map { if case .failure(let error) = $0 { error } else { nil } }
    }
}
