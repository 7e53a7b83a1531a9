import Cabinet

/// The requests that CloudKit lacks.
extension ICloudRequestHandler {
    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        throw CloudKitGap.aggregates.error("Fetch the records, or keep a count in a record.")
    }

    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        throw CloudKitGap.explanations.error()
    }

    func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response {
        throw CloudKitGap.validation.error("Query.validateForCloudKit() lists the parts that it would refuse.")
    }

    func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response {
        throw CloudKitGap.schema.error()
    }

    func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response {
        throw CloudKitGap.schema.error()
    }

    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        throw CloudKitGap.schema.error()
    }

    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        throw CloudKitGap.migrations.error()
    }

    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        throw CloudKitGap.liveChanges.error()
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        throw CloudKitGap.accessRequests.error("Use CKShareRequestAccessOperation of CloudKit.")
    }

    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        throw CloudKitGap.notifications.error("Read them where the system passes them to the program.")
    }
}
