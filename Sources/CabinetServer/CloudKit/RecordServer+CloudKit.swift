import Cabinet
import CabinetWire
import Foundation

/// The dialect of CloudKit Web Services.
extension RecordServer {
    func cloudKitResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        let request = exchange.request
        if request.method == .options { return preflight() }
        do {
            return response(try await self.answer(exchange, target), exchange)
        } catch let error as RouteError {
            return response(to: error, exchange)
        } catch {
            return response(
                response(reporting: error, exchange, target), status: (error as? HTTPError)?.status.code, exchange)
        }
    }

    /// Answers a request whose target cannot be read.
    func cloudKitResponse(to exchange: ServerExchange, malformed error: CabinetError) -> HTTPResponse {
        // A wrong path is like one of no operation.
        let isOfQuery = (try? RequestTarget(exchange.request.path)) != nil
        return response(to: isOfQuery ? .malformed(error.message) : .notFound, exchange)
    }

    private func response(to error: RouteError, _ exchange: ServerExchange) -> HTTPResponse {
        var response = response(Self.response(to: error, exchange.id), status: error.status, exchange)
        if case .methodNotAllowed(let methods) = error {
            response.headerFields.append(checked: .allow, value: methods.joined(separator: ", "))
        }
        return response
    }

    private func response(
        _ answer: CloudKitResponse, status: Int? = nil, _ exchange: ServerExchange
    ) -> HTTPResponse {
        var response = HTTPResponse(
            HTTPResponse.Status(code: status ?? answer.status) ?? .internalServerError,
            body: HTTPBody(Data(answer.body)))
        response.headerFields.append(checked: .contentType, value: "application/json; charset=UTF-8")
        response.headerFields.append(checked: .appleRequestID, value: exchange.id)
        if let seconds = answer.retryAfter {
            response.headerFields.append(checked: .retryAfter, value: "\(seconds)")
        }
        if let next = exchange.nextWebToken, let field = try? HTTPField(name: .webAuthToken, value: next) {
            response.headerFields.append(field)
        }
        addBrowserFields(to: &response)
        return response
    }

    private func answer(
        _ exchange: ServerExchange, _ target: RequestTarget
    ) async throws -> CloudKitResponse {
        let route = try CloudKitRoute(method: exchange.request.method.rawValue, target: target)
        exchange.set(name: route.operation.rawValue)
        let admission = try await admit(exchange, to: route.container)
        let authentication = admission.authentication
        if authentication.isServer {
            if route.operation.isAboutUsers {
                throw AuthenticationError.failed(
                    "A server's key has no user, so '\(route.operation.rawValue)' is not for it.")
            }
            if route.scope != .public {
                throw CabinetError(.permissionFailure, "A server's key reaches the public database alone.")
            }
        }
        let caller = Caller(account: authentication.account, deviceID: "web")
        let endpoint = CloudKitEndpoint(
            service: admission.service, host: host(for: route.container, exchange, service: admission.service),
            caller: caller,
            scope: route.scope, container: route.container, requestID: exchange.id,
            answersSyncToken: target["getCurrentSyncToken"]?.lowercased() == "true",
            signInURL: self.signInURL(of: route.container, exchange, target), nextWebToken: exchange.nextWebToken)
        return try await withDeadline {
            try await endpoint.answer(to: route.operation, body: admission.body)
        }
    }

    func host(
        for container: WireContainer, _ exchange: ServerExchange, service: (any DatabaseService)? = nil
    ) -> SealedHost {
        let baseURL = baseURL(for: exchange.request)
        var couriers: Couriers?
        if let service, let store = configuration.couriers {
            couriers = Couriers(store: store, container: container, service: service, baseURL: baseURL)
        }
        return SealedHost(
            secret: secret(of: container), container: container, baseURL: baseURL, directory: configuration.directory,
            couriers: couriers)
    }

    /// The address by which the client reaches the server.
    func baseURL(for request: HTTPRequest) -> String {
        configuration.publicURL ?? "\(request.isSecure ? "https" : "http")://\(request.headerFields[.host] ?? "")"
    }

    private static func response(to error: RouteError, _ id: String) -> CloudKitResponse {
        let reason =
            switch error {
            case .notFound: CabinetError(.unknownItem, "could not find handler for endpoint")
            case .malformed(let reason): CabinetError(.invalidArguments, reason)
            case .methodNotAllowed: CabinetError(.invalidArguments, "The endpoint has other methods.")
            }
        return CloudKitResponse(reason, requestID: id)
    }

    private func response(
        reporting error: any Error, _ exchange: ServerExchange, _ target: RequestTarget
    ) -> CloudKitResponse {
        func unauthenticated(_ error: CabinetError) -> CloudKitResponse {
            let route = try? CloudKitRoute(method: exchange.request.method.rawValue, target: target)
            return CloudKitResponse(
                error, requestID: exchange.id,
                redirectURL: route.flatMap { signInURL(of: $0.container, exchange, target) })
        }
        switch error {
        case AuthenticationError.expired(let reason):
            return unauthenticated(CabinetError(.notAuthenticated, reason))
        case let error as CabinetError where error.code == .notAuthenticated: return unauthenticated(error)
        case AuthenticationError.failed(let reason):
            return CloudKitResponse(
                CabinetError(.notAuthenticated, reason), code: .authenticationFailed, requestID: exchange.id)
        case let error as HTTPError:
            let code: CabinetError.Code = error.status == .contentTooLarge ? .limitExceeded : .invalidArguments
            return CloudKitResponse(CabinetError(code, error.message), requestID: exchange.id)
        case is CancellationError:
            return CloudKitResponse(
                CabinetError(.serviceUnavailable, "The request was cancelled. Try again.", retryAfterSeconds: 1),
                requestID: exchange.id)
        case let error as CabinetError where error.code == .serverResponseLost:
            exchange.set(error)
            return CloudKitResponse(error, requestID: exchange.id)
        default: return CloudKitResponse(shown(error, exchange), requestID: exchange.id)
        }
    }

    // MARK: - Browsers

    /// Answers the request that a browser sends before one of another site's page.
    ///
    /// Every site may ask: credentials stand in the request, and no browser adds them by itself.
    func preflight() -> HTTPResponse {
        var response = HTTPResponse(.noContent)
        addBrowserFields(to: &response)
        response.headerFields.append(checked: .allowMethods, value: "GET, POST, PUT, OPTIONS")
        response.headerFields.append(checked: .allowHeaders, value: "Authorization, Content-Type, Range")
        response.headerFields.append(checked: .maxAge, value: "86400")
        return response
    }

    func addBrowserFields(to response: inout HTTPResponse) {
        response.headerFields.append(checked: .allowOrigin, value: "*")
        response.headerFields.append(
            checked: .exposeHeaders,
            value: "X-Apple-Request-UUID, X-Apple-CloudKit-Web-Auth-Token, X-Responding-Instance, Via")
        // Web tokens stand in targets, which neither a cache nor another site may get.
        response.headerFields.append(checked: .cacheControl, value: "no-store")
        response.headerFields.append(checked: .referrerPolicy, value: "no-referrer")
    }
}

extension HTTPField.Name {
    fileprivate static let appleRequestID = Self(known: "X-Apple-Request-UUID")
    fileprivate static let webAuthToken = Self(known: "X-Apple-CloudKit-Web-Auth-Token")
    fileprivate static let allowOrigin = Self(known: "Access-Control-Allow-Origin")
    fileprivate static let allowMethods = Self(known: "Access-Control-Allow-Methods")
    fileprivate static let allowHeaders = Self(known: "Access-Control-Allow-Headers")
    fileprivate static let exposeHeaders = Self(known: "Access-Control-Expose-Headers")
    fileprivate static let maxAge = Self(known: "Access-Control-Max-Age")
}
