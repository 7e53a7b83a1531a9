public import Cabinet

/// A connection to a server of CloudKit Web Services.
public protocol CloudKitTransport: Sendable {
    /// Sends a request, and returns the response, also that of a failure.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - scope: The database.
    ///   - body: The JSON of the request.
    func send(_ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]) async throws -> CloudKitResponse

    /// Remembers the URL of an asset of a record that was fetched.
    func remember(_ url: String, of asset: StoredAsset)
}

/// The answers of a server of CloudKit Web Services to the requests of a database.
///
/// A service translates each request with it:
///
/// ```swift
/// let handler = CloudKitRequestHandler(transport, userRecordName: name)
/// return try await request.response(from: handler)
/// ```
///
/// A request that CloudKit cannot say is refused with ``/Cabinet/CabinetError/Code/serverRejectedRequest``, or with
/// ``/Cabinet/CabinetError/Code/invalidArguments`` and the part that is missing.
public struct CloudKitRequestHandler: RequestHandler {
    let transport: any CloudKitTransport
    let userRecordName: String?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - transport: The connection to the server.
    ///   - userRecordName: The record name of the user, or `nil` if it is unknown.
    public init(_ transport: any CloudKitTransport, userRecordName: String?) {
        (self.transport, self.userRecordName) = (transport, userRecordName)
    }

    /// Sends a request whose JSON a function writes, and returns the answer.
    ///
    /// - Parameter items: The key of the items, whose errors do not fail the request.
    /// - Throws: The error of a response that failed as a whole.
    func send(
        _ operation: CloudKitOperation, to scope: DatabaseScope, items: StaticString,
        _ body: (inout JSONWriter) throws(CabinetError) -> Void
    ) async throws -> JSONNode {
        var writer = JSONWriter(capacity: 4096)
        try writer.object(body)
        let response = try await transport.send(operation, to: scope, body: writer.bytes)
        let root: JSONNode
        do {
            root = try JSONText(response.body).root.object()
        } catch {
            throw CabinetError(
                response.status >= 500 ? .serviceUnavailable : .internalError,
                "The server answered with the status \(response.status), and not with JSON.", underlyingError: error)
        }
        // The items of an atomic batch that failed have their own errors.
        if root[items] == nil, let error = try CloudKitFailure.read(root) { throw error }
        guard response.status < 400 || root[items] != nil else {
            throw CabinetError(.internalError, "The server answered with the status \(response.status), and no error.")
        }
        return root
    }

    /// Returns a writer of values, in which own zones have the user's name if it is known.
    var values: CloudKitValueWriter { CloudKitValueWriter(userRecordName: userRecordName) }

    /// Returns the parts of a list that fit a request.
    static func parts<Element>(of list: [Element]) -> [ArraySlice<Element>] {
        stride(from: 0, to: list.count, by: CloudKitEndpoint.maximumCount).map {
            list[$0..<min($0 + CloudKitEndpoint.maximumCount, list.count)]
        }
    }

    /// Returns the items of an answer, which has one for each item of the request.
    static func items(_ root: JSONNode, _ key: StaticString, count: Int) throws(CabinetError) -> [JSONNode] {
        let items = try root.required(key).array { item throws(CabinetError) in try item.object() }
        guard items.count == count else {
            throw CabinetError(.internalError, "The server gave \(items.count) \(key) for \(count) of the request.")
        }
        return items
    }

    private func unsupported<Request: ServiceRequest>(_ request: Request) -> CabinetError {
        CabinetError(
            .serverRejectedRequest,
            "CloudKit Web Services has no request for '\(Request.name)'. Use a server of Cabinet for it.")
    }
}

/// The requests that CloudKit Web Services lacks.
extension CloudKitRequestHandler {
    /// Refuses the request: CloudKit computes no aggregates.
    public func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit explains no queries.
    public func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit checks no queries without running them.
    public func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit's schema is not reached through Web Services.
    public func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit's schema is not reached through Web Services.
    public func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit renames nothing.
    public func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit has no migrations.
    public func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit has no live queries.
    public func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit keeps no notifications to fetch.
    public func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: CloudKit finds no assets by their checksums.
    public func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: an upload to CloudKit names the record and the field.
    public func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: an upload to CloudKit names the record and the field.
    public func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response {
        throw unsupported(request)
    }

    /// Refuses the request: an upload to CloudKit names the record and the field.
    public func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response {
        throw unsupported(request)
    }
}
