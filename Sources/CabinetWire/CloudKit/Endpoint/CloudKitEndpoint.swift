public import Cabinet

/// The answers to the operations of CloudKit Web Services, from any service.
///
/// ```swift
/// let endpoint = CloudKitEndpoint(
///     service: service, host: host, caller: caller, scope: .private,
///     requestID: id)
/// let response = await endpoint.response(to: .recordsQuery, body: json)
/// ```
///
/// An endpoint is a value for one request of one user. It reads tolerantly, and writes exactly what Apple's service writes.
public struct CloudKitEndpoint: Sendable {
    let service: any DatabaseService
    let host: any CloudKitHost
    let caller: Caller
    let scope: DatabaseScope
    let container: WireContainer?
    let requestID: String
    /// Whether queries and lookups answer with the current sync token.
    let answersSyncToken: Bool
    /// Returns the page on which a user signs in.
    let signInURL: @Sendable () -> String?
    /// The web token of the client's next request.
    let nextWebToken: String?
    /// Resolved when the service has carried out a part of the request that changes something.
    private let firstChange = Promise<Void>()

    /// The maximum number of operations, records, zones or tokens of a request.
    public static let maximumCount = 200

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - service: The service with the records.
    ///   - host: The server's part of the answers.
    ///   - caller: The user and device that the request acts for.
    ///   - scope: The database.
    ///   - container: The container, which answers about shares name.
    ///   - requestID: The ID of the request, which errors have as their `uuid`.
    ///   - answersSyncToken: Whether the URL has `getCurrentSyncToken=true`.
    ///   - signInURL: The page on which a user signs in, for the `redirectURL` of a request that needs one.
    ///   - nextWebToken: The web token of the client's next request, which the operations about the user answer.
    public init(
        service: any DatabaseService, host: any CloudKitHost, caller: Caller, scope: DatabaseScope,
        container: WireContainer? = nil, requestID: String, answersSyncToken: Bool = false,
        signInURL: @autoclosure @escaping @Sendable () -> String? = nil,
        nextWebToken: String? = nil
    ) {
        self.service = service
        self.host = host
        self.caller = caller
        self.scope = scope
        self.requestID = requestID
        self.answersSyncToken = answersSyncToken
        self.signInURL = signInURL
        self.nextWebToken = nextWebToken
        self.container = container
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - body: The JSON of the request; empty for a GET.
    /// - Returns: The response, also of a request that failed.
    public func response(to operation: CloudKitOperation, body: [UInt8]) async -> CloudKitResponse {
        do {
            return try await answer(to: operation, body: body)
        } catch let error as CabinetError {
            return CloudKitResponse(
                error, requestID: requestID, redirectURL: error.code == .notAuthenticated ? signInURL() : nil)
        } catch {
            let failure = CabinetError(.internalError, "The server failed; its log has the reason under the uuid.")
            return CloudKitResponse(failure, requestID: requestID)
        }
    }

    /// Answers a request, for a server that logs its failures.
    ///
    /// - Throws: The error of a request that failed as a whole; ``/Cabinet/CabinetError/Code/serverResponseLost`` if a part of it may have
    ///   been carried out before.
    package func answer(to operation: CloudKitOperation, body: [UInt8]) async throws -> CloudKitResponse {
        do {
            return try await carryOut(operation, body)
        } catch {
            guard firstChange.isResolved else { throw error }
            // A client repeats a request that the server could not answer for now.
            throw CabinetError(
                .serverResponseLost,
                "The server failed after a part of the request. Read what it has changed before you send it again.",
                underlyingError: error)
        }
    }

    private func carryOut(_ operation: CloudKitOperation, _ body: [UInt8]) async throws -> CloudKitResponse {
        let root = try JSONText(body.isEmpty ? Array("{}".utf8) : body).root.object()
        return switch operation {
        case .recordsModify: try await modifyRecords(root)
        case .recordsQuery: try await queryRecords(root)
        case .recordsLookup: try await lookUpRecords(root)
        case .recordsChanges: try await recordChanges(root)
        case .changesZone: try await zoneChanges(root)
        case .changesDatabase: try await databaseChanges(root, tokenKey: "syncToken")
        case .zonesChanges: try await databaseChanges(root, tokenKey: "metaSyncToken")
        case .zonesList: try await listZones()
        case .zonesLookup: try await lookUpZones(root)
        case .zonesModify: try await modifyZones(root)
        case .subscriptionsList: try await listSubscriptions()
        case .subscriptionsLookup: try await lookUpSubscriptions(root)
        case .subscriptionsModify: try await modifySubscriptions(root)
        case .assetsUpload: try uploadAssets(root)
        case .assetsRereference: try await rereferenceAssets(root)
        case .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts:
            try await users(operation, root)
        case .tokensCreate: try await createToken(root)
        case .tokensRegister: try await registerToken(root)
        case .recordsResolve: try await resolve(root, isAccepting: false)
        case .recordsAccept, .sharesAccept: try await resolve(root, isAccepting: true)
        }
    }

    /// Has the service answer a request of the caller.
    ///
    /// - Throws: The errors of the service; ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the task was cancelled after another request
    ///   had changed something.
    func perform<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        do {
            let response = try await service.perform(request, for: caller)
            if Request.effect != .none { firstChange.resolve(.success(())) }
            return response
        } catch {
            if (error as? CabinetError)?.code == .notAuthenticated { throw Self.needsUser }
            guard firstChange.isResolved, Self.isCancellation(error) else { throw error }
            throw CabinetError(
                .serviceUnavailable, "The request took too long, and this part of it was not carried out. Try again.",
                retryAfterSeconds: 1)
        }
    }

    /// The error of a service's request that needs a user, whose own message is for a program in Swift.
    private static let needsUser = CabinetError(
        .notAuthenticated,
        "The request needs a user. Without one, only the public database can be read. Sign in, and send the token that you get as 'ckWebAuthToken'."
    )

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? CabinetError)?.code == .operationCancelled
    }

    /// Returns an array of a request that has at most 200 elements.
    static func items(_ root: JSONNode, _ key: StaticString) throws(CabinetError) -> [JSONNode] {
        let node = try root.required(key)
        let items = try node.array { item throws(CabinetError) in try item.object() }
        guard items.count <= maximumCount else { throw node.error(expected: "at most \(maximumCount) elements") }
        return items
    }

    /// Returns an array that may be absent, null, or one element instead of an array.
    static func optionalItems(_ root: JSONNode, _ key: StaticString) throws(CabinetError) -> [JSONNode] {
        guard let node = root[key] else { return [] }
        return node.kind == .object ? [node] : try node.array { item throws(CabinetError) in try item.object() }
    }

    /// Returns the fields to fetch; `nil` for all.
    static func desiredKeys(_ node: JSONNode) throws(CabinetError) -> Set<Record.FieldKey>? {
        try (node["desiredKeys"]?.strings()).map(Set.init)
    }

    /// Returns the limit of a page: at most 200, also if a client asks for more.
    static func limit(_ node: JSONNode) throws(CabinetError) -> Int {
        guard let limit = node["resultsLimit"] else { return maximumCount }
        let number = try limit.int64()
        guard number >= 0 else { throw limit.error(expected: "a number that is not negative, as \(number) is") }
        return number == 0 ? maximumCount : Int(min(number, Int64(maximumCount)))
    }
}
