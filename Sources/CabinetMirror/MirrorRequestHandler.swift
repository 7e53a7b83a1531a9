import Cabinet

/// Decides for each request whether the local store or the remote container answers it.
struct MirrorRequestHandler: RequestHandler {
    let mirror: MirrorDatabaseService
    let caller: Caller

    /// Answers a request of a database.
    private func response<Request: ServiceRequest>(
        to request: Request, in scope: DatabaseScope
    ) async throws -> Request.Response {
        scope == .private
            ? try await mirror.answerLocally(request, for: caller)
            : try await mirror.answerRemotely(request, for: caller)
    }

    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        if request.scope == .private, request.hasShares {
            throw CabinetError(
                .badDatabase, "A server manages shares. Save and delete them in the container that the mirror mirrors.")
        }
        return try await response(to: request, in: request.scope)
    }

    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response {
        if request.scopes == [.private] { return try await mirror.answerLocally(request, for: caller) }
        let response = try await mirror.answerRemotely(request, for: caller)
        return request.scopes.contains(.private) ? try await mirror.answerLocally(request, for: caller) : response
    }

    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        if request.scopes == [.private] { return try await mirror.answerLocally(request, for: caller) }
        let response = try await mirror.answerRemotely(request, for: caller)
        return request.scopes.contains(.private) ? try await mirror.answerLocally(request, for: caller) : response
    }

    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        if request.scope == .private, request.addsKeys {
            throw CabinetError(
                .badDatabase,
                "A mirror does not store keys of encrypted values. Encrypt in the container that it mirrors.")
        }
        return try await response(to: request, in: request.scope)
    }

    func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        try await mirror.answerRemotely(request, for: caller)
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        try await mirror.answerRemotely(request, for: caller)
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        try await mirror.answerRemotely(request, for: caller)
    }

    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        try await mirror.answerRemotely(request, for: caller)
    }

    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        try await response(to: request, in: request.scope)
    }

    func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response {
        do {
            return try await mirror.answerLocally(request, for: caller)
        } catch CabinetError.Code.unknownItem {
            return try await mirror.answerRemotely(request, for: caller)
        }
    }

    func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response {
        let response = try await mirror.answerLocally(request, for: caller)
        _ = try? await mirror.answerRemotely(request, for: caller)
        return response
    }
}
