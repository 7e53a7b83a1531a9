public import Cabinet
public import Foundation

/// A connection to a server of CloudKit Web Services.
public protocol CloudKitTransport: Sendable {
    /// Sends a request, and returns the response, also that of a failure.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - scope: The database.
    ///   - body: The JSON of the request.
    func send(_ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]) async throws -> CloudKitResponse

    /// Remembers the URL of an asset, and the field of a record that was fetched with it.
    func remember(_ url: String, of asset: StoredAsset, in slot: AssetSlot)

    /// Returns a field that had an asset when it was fetched; `nil` if none is remembered.
    func slot(of asset: StoredAsset) -> AssetSlot?

    /// Returns the URL of a share.
    ///
    /// - Parameter shortGUID: The last part of the URL.
    func shareURL(of shortGUID: String) -> URL?

    /// Begins to keep the bytes of an upload, which ``/Cabinet/DatabaseService/send(_:to:at:for:)`` of the service then gets.
    func beginUpload() async throws -> UUID

    /// Returns the asset that the bytes of an upload are.
    ///
    /// Law: a second call returns the same.
    func finishUpload(_ upload: UUID) async throws -> StoredAsset

    /// Releases the bytes of uploads; unknown ones are passed over.
    func endUploads(_ uploads: [UUID]) async

    /// Sends the bytes of a finished upload to a URL of the server's, and returns the response.
    func send(_ upload: UUID, to url: String) async throws -> CloudKitResponse
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
        return try Self.root(of: try await transport.send(operation, to: scope, body: writer.bytes), items: items)
    }

    /// Returns the JSON of a response.
    ///
    /// - Throws: The error of a response that failed as a whole.
    static func root(of response: CloudKitResponse, items: StaticString = "") throws -> JSONNode {
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

    var ownerRule: OwnerRule { OwnerRule(user: userRecordName) }

    /// Returns a writer of values, in which own zones have the user's name if it is known.
    var values: CloudKitValueWriter { CloudKitValueWriter(userRecordName: userRecordName) }

    /// Returns the elements of each zone, in the order of the first ones; an operation has one zone.
    static func zones<Element>(
        of list: [Element], by zoneID: (Element) -> RecordZone.ID
    ) -> [(zoneID: RecordZone.ID, elements: [Element])] {
        let zones = Dictionary(grouping: list, by: zoneID)
        var seen: Set<RecordZone.ID> = []
        return list.map(zoneID).filter { seen.insert($0).inserted }.map { ($0, zones[$0] ?? []) }
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

    /// Refuses the request: CloudKit Web Services documents no way to ask for access.
    public func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
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
}
