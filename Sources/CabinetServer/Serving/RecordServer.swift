public import Cabinet
public import CabinetWire
import Foundation
import Synchronization

/// A server of containers over HTTP, in Cabinet's own dialect and in that of CloudKit Web Services.
///
/// ```swift
/// let service = try LocalDatabaseService(backend: backend)
/// let container = WireContainer(
///     identifier: "com.example.notes", environment: .production)
/// let server = RecordServer(
///     [container: service], authenticator: authenticator)
/// let response = try await server.handler(request)
/// ```
///
/// The server has no sockets: ``handler`` answers the requests that a listener receives. It keeps no records and no users itself, so
/// that several servers can stand beside each other over one store, with one ``ServerSecret``.
///
/// | Path | Answer |
/// |---|---|
/// | `/cabinet/1/…` | Cabinet's own dialect: every request of `Cabinet`, assets, and signals as events |
/// | `/database/1/…`, `/device/1/…` | CloudKit Web Services |
/// | `/assets/1/…` | The bytes of assets for clients of CloudKit Web Services, at URLs that they were given |
/// | `/courier/1/…` | The next notification of a user, at a URL of `tokens/create`, if the configuration has a ``CourierStore`` |
/// | `/sign-in/…` | The page on which the users of CloudKit's clients sign in, if the configuration has ``SignIn`` |
/// | `/share/…` | The pages to which the URLs of shares lead, of the configuration's shared containers |
/// | `/health` | 200 while the server answers, 503 after ``endStreams()`` |
/// | `/metrics` | Numbers in Prometheus' text format, for clients on the same machine |
public final class RecordServer: Sendable {
    let services: @Sendable (WireContainer) -> (any DatabaseService)?
    let authenticator: any Authenticator
    private let secrets: @Sendable (WireContainer) -> ServerSecret
    private let derived = Mutex<[WireContainer: ServerSecret]>([:])
    private let deadlines: RequestDeadlines
    private let bodies: BodyBudget
    let configuration: Configuration
    let metrics = ServerMetrics()
    let streams: SignalStreams
    private let users: RateLimiter
    private let addresses: RateLimiter

    /// Creates a server of containers that a function finds.
    ///
    /// - Parameters:
    ///   - authenticator: Finds the users of requests.
    ///   - secrets: Returns the key of the texts that the clients of a container get and return, which all servers of its store share. No text of one
    ///     container is accepted in another, even if their keys are equal.
    ///   - configuration: The limits, the log and the surroundings.
    ///   - services: Returns the service of a container, or `nil` for one that is not served.
    public init(
        authenticator: any Authenticator,
        secrets: @escaping @Sendable (WireContainer) -> ServerSecret = { [random = ServerSecret.random()] _ in random },
        configuration: Configuration = Configuration(),
        services: @escaping @Sendable (WireContainer) -> (any DatabaseService)?
    ) {
        self.services = services
        self.authenticator = authenticator
        self.secrets = secrets
        self.configuration = configuration
        deadlines = RequestDeadlines(limit: configuration.limits.time)
        bodies = BodyBudget(configuration.limits)
        streams = SignalStreams(interval: configuration.streamInterval)
        users = RateLimiter(configuration.limits.user)
        addresses = RateLimiter(configuration.limits.address)
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - services: The services of the containers. The server does not close them.
    ///   - authenticator: Finds the users of requests.
    ///   - secret: The key of the texts that clients get and return, which all servers of one store share.
    ///   - configuration: The limits, the log and the surroundings.
    public convenience init(
        _ services: [WireContainer: any DatabaseService], authenticator: any Authenticator,
        secret: ServerSecret = .random(), configuration: Configuration = Configuration()
    ) {
        self.init(authenticator: authenticator, secrets: { _ in secret }, configuration: configuration) { services[$0] }
    }

    /// Returns the key of a container's texts.
    func secret(of container: WireContainer) -> ServerSecret {
        derived.withLock { derived in
            if let secret = derived[container] { return secret }
            // Only a server of containers that are found by any name has more.
            if derived.count >= 1_000 { derived.removeAll() }
            let secret = secrets(container).derived(for: container)
            derived[container] = secret
            return secret
        }
    }

    /// Answers requests; it never throws.
    public var handler: HTTPHandler {
        { [self] request in
            // The thread of a listener answers requests that do not wait.
            await ShortCalls.$mayBlockExecutor.withValue(true) { await respond(to: request) }
        }
    }

    /// Ends the streams of signals, so that their clients connect to another server, or to this one when it is back.
    ///
    /// Call it before the listener stops, which waits for the requests under way. Later streams are refused with 503, and `/health`
    /// answers 503, on connections that are open: a listener that stops accepts no others.
    public func endStreams() {
        streams.end()
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let exchange = ServerExchange(
            request.refusingCodedBody, clientAddress: address(of: request), budget: bodies)
        // Tasks that go on after the answer, such as a stream's, keep this, which must hold neither the server nor the body.
        let served = ServerCoding(
            mask: { [weak self, weak exchange] error in
                if let self, let exchange { shown(error, exchange) } else { error }
            },
            reserve: { [weak exchange] bytes throws(CabinetError) in try exchange?.reserve(bytes) ?? () })
        var response = await ServerCoding.$current.withValue(served) { await self.response(to: exchange) }
        response.headerFields.append(checked: .requestID, value: exchange.id)
        let record = exchange.record(status: response.status.code, duration: start.duration(to: .now))
        metrics.count(record)
        configuration.log?(record)
        return response
    }

    private func response(to exchange: ServerExchange) async -> HTTPResponse {
        let target: RequestTarget
        do {
            target = try exchange.request.target()
        } catch {
            let start = exchange.request.path.split(separator: "/").prefix(1).map(String.init)
            if CloudKitRoute.owns(start) { return cloudKitResponse(to: exchange, malformed: error) }
            return HTTPResponse(reporting: HTTPError(.badRequest, error.message))
        }
        switch target.path {
        case ["health"]: return health(exchange.request)
        case ["metrics"]: return metrics(exchange.request)
        case let path where CabinetRoute.owns(path): return await cabinetResponse(to: exchange, target)
        case let path where CloudKitRoute.owns(path): return await cloudKitResponse(to: exchange, target)
        case let path where path.first == "assets": return await assetResponse(to: exchange, target)
        case let path where path.first == "courier": return await courierResponse(to: exchange, target)
        case let path where path.first == "sign-in": return await signInResponse(to: exchange, target)
        case let path where path.first == "share": return await shareResponse(to: exchange, target)
        default: return HTTPResponse(reporting: HTTPError(.notFound, "Nothing has this path."))
        }
    }

    /// The address by which the requests of a client are counted; `nil` if it is unknown, as on a Unix socket.
    private func address(of request: HTTPRequest) -> String? {
        let forwarded = configuration.isBehindProxy ? ClientAddress.forwarded(request) : nil
        return (forwarded ?? request.remoteAddress).map(ClientAddress.network)
    }
}

// MARK: - What both dialects do

extension RecordServer {
    /// The parts of a request that were checked before it is decoded.
    struct Admission {
        let service: any DatabaseService
        let authentication: Authentication
        let body: [UInt8]
    }

    /// Finds the container, reads the body, finds the user, and counts the request.
    ///
    /// - Parameter bodySize: The largest body of the route, if it is smaller than that of all requests.
    func admit(
        _ exchange: ServerExchange, to container: WireContainer, bodySize: Int? = nil
    ) async throws -> Admission {
        exchange.set(container)
        try countAddress(of: exchange)
        guard let service = services(container) else {
            throw CabinetError(
                .badContainer,
                "The server has no container '\(container.identifier.prefix(255))' in \(container.environment.rawValue)."
            )
        }
        let (authentication, body) = try await authenticate(exchange, in: container, bodySize: bodySize)
        exchange.nextWebToken = authentication.nextWebToken
        if let user = authentication.account?.userRecordName {
            exchange.set(user: user)
            if let wait = users.take(of: "\(container.environment.rawValue)/\(container.identifier)/\(user)") {
                throw Self.rateLimited(wait)
            }
        }
        let guarded = GuardedService(
            base: service, container: container, administrators: configuration.administrators,
            directory: configuration.directory)
        return Admission(service: guarded, authentication: authentication, body: Array(body))
    }

    /// Finds the user, and reads the body: a large one last, so that no client without credentials takes its memory.
    private func authenticate(
        _ exchange: ServerExchange, in container: WireContainer, bodySize: Int?
    ) async throws -> (Authentication, body: Data) {
        let (request, limits) = (exchange.request, configuration.limits)
        let limit = min(request.hasCredentials ? limits.bodySize : limits.anonymousBodySize, bodySize ?? .max)
        let length = request.headerFields[.contentLength].flatMap { Int($0) } ?? .max
        var body: Data?
        do {
            if limit <= limits.anonymousBodySize || length <= limits.anonymousBodySize {
                body = try await exchange.collectBody(upTo: limit)
            } else if try await authenticator.needsBody(of: request, in: container) {
                body = try await exchange.collectBody(upTo: limit)
            }
            let authentication = try await authenticator.authenticate(request, body: body ?? Data(), in: container)
            if let body { return (authentication, body) }
            return (authentication, try await exchange.collectBody(upTo: limit))
        } catch let error as AuthenticationError {
            countGuess(of: exchange)
            throw error
        }
    }

    /// Returns the text that answers a failed request of a path outside of both dialects.
    func textResponse(reporting error: any Error, _ exchange: ServerExchange) -> HTTPResponse {
        if error is HTTPError || error is CancellationError { return HTTPResponse(reporting: error) }
        let error = shown(error, exchange)
        let status = HTTPResponse.Status(code: error.code.status) ?? .internalServerError
        var response = HTTPResponse(reporting: HTTPError(status, error.message))
        if let seconds = error.retryAfter {
            response.headerFields.append(checked: .retryAfter, value: "\(seconds)")
        }
        return response
    }

    /// Returns the error that a client gets, as the answer or in the position of an item.
    ///
    /// Of a failure of the server, and of a message that names its files, the log alone has the text.
    func shown(_ error: any Error, _ exchange: ServerExchange) -> CabinetError {
        var shown = error as? CabinetError ?? CabinetError(.internalError)
        let isOfServer = shown.code.status == HTTPResponse.Status.internalServerError.code || shown.isOfStore
        guard isOfServer || Self.codesOfStores.contains(shown.code) && Self.namesFile(shown) else { return shown }
        let mask = "The server failed. Its log has the reason under the ID \(exchange.id)."
        // An error of the whole request was masked before it is coded.
        if shown.message == mask { return shown }
        exchange.set(error)
        shown.message = mask
        shown.underlyingError = nil
        // The client has no part in what its server may do in the store, or in the server's way to it.
        if shown.isOfStore, let code = Self.codesOfRefusals[shown.code] { shown.code = code }
        return shown
    }

    private static let codesOfRefusals: [CabinetError.Code: CabinetError.Code] = [
        // Clients wait until the operator has repaired the store, and set no changes aside.
        .badContainer: .serviceUnavailable, .networkFailure: .serviceUnavailable,
        .networkUnavailable: .serviceUnavailable, .permissionFailure: .serviceUnavailable,
    ]

    /// The codes with which a store reports its own state; the text of others can have what the client has sent.
    private static let codesOfStores: Set<CabinetError.Code> = [
        .badContainer, .limitExceeded, .permissionFailure, .quotaExceeded, .serviceUnavailable, .zoneBusy,
    ]

    private static func namesFile(_ error: any Error) -> Bool {
        let message = (error as? CabinetError)?.message ?? "\(error)"
        return message.contains(" /") || (error as? CabinetError)?.underlyingError.map(namesFile) == true
    }

    /// Counts a request for the address of its client.
    func countAddress(of exchange: ServerExchange) throws(CabinetError) {
        if let address = exchange.clientAddress, let wait = addresses.take(of: address) { throw Self.rateLimited(wait) }
    }

    /// Counts wrong credentials as many requests, so that guesses are expensive.
    func countGuess(of exchange: ServerExchange) {
        // The request itself was counted before.
        if let address = exchange.clientAddress { _ = addresses.take(Self.requestsOfGuess - 1, of: address) }
    }

    /// The number of requests that wrong credentials count as.
    private static let requestsOfGuess = 50.0

    private static func rateLimited(_ seconds: Double) -> CabinetError {
        let seconds = seconds.rounded(.up)
        return CabinetError(
            .requestRateLimited, "Too many requests. Try again in \(Int(seconds)) s.", retryAfterSeconds: seconds)
    }

    /// Runs a closure, and cancels it when its time is over.
    func withDeadline<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await deadlines.run(body)
    }
}

extension HTTPRequest {
    /// The decoded target.
    func target() throws(CabinetError) -> RequestTarget {
        try RequestTarget(query.map { "\(path)?\($0)" } ?? path)
    }

    /// Whether the request has credentials, which need not be valid.
    var hasCredentials: Bool {
        headerFields[.authorization] != nil || headerFields[.cloudKitKeyID] != nil || hasWebToken
    }
}

extension HTTPField.Name {
    static let requestID = Self(known: "X-Request-ID")
    static let cloudKitKeyID = Self(known: "X-Apple-CloudKit-Request-KeyID")
}
