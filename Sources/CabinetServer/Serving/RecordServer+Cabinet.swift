import Cabinet
import CabinetWire
import Foundation

/// Cabinet's own dialect.
extension RecordServer {
    func cabinetResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        do {
            return try await answer(
                exchange, try CabinetRoute(method: exchange.request.method.rawValue, target: target))
        } catch {
            return response(reporting: error, exchange)
        }
    }

    private func answer(_ exchange: ServerExchange, _ route: CabinetRoute) async throws -> HTTPResponse {
        switch route {
        case .description:
            exchange.set(name: "description")
            return try Self.json(try description.json())
        case .request(let name, let container):
            exchange.set(name: name)
            let admission = try await admit(exchange, to: container)
            let caller = try caller(of: exchange, admission)
            return try Self.json(
                try await withDeadline {
                    try await RequestCatalog.perform(name, admission.body, for: caller, on: admission.service)
                })
        case .send(let upload, let offset, let container):
            exchange.set(name: "send")
            let admission = try await admit(exchange, to: container, bodySize: description.maximumPartSize)
            let caller = try caller(of: exchange, admission)
            try await withDeadline {
                try await admission.service.send(Data(admission.body), to: upload, at: offset, for: caller)
            }
            return HTTPResponse(.noContent)
        case .bytes(let range, let container):
            exchange.set(name: "bytes")
            let admission = try await admit(exchange, to: container, bodySize: 0)
            let caller = try caller(of: exchange, admission)
            let bytes = try await withDeadline {
                try await admission.service.bytes(
                    of: range.asset, of: range.recordID, in: range.range, scope: range.scope, for: caller)
            }
            return try HTTPResponse(contentType: "application/octet-stream", body: HTTPBody(bytes))
        case .signals(let scopes, let container):
            exchange.set(name: "signals")
            let admission = try await admit(exchange, to: container, bodySize: 0)
            let caller = try caller(of: exchange, admission)
            return try stream(scopes, for: caller, admission.service, exchange, container)
        }
    }

    private var description: ServerDescription {
        ServerDescription(maximumBodySize: configuration.limits.bodySize, abilities: ["signals"])
    }

    /// Returns the caller of a request, with the device that the client names.
    private func caller(of exchange: ServerExchange, _ admission: Admission) throws -> Caller {
        if admission.authentication.isServer {
            throw AuthenticationError.failed("A server's key is for CloudKit Web Services. Use a token.")
        }
        let account = admission.authentication.account
        if let user = exchange.request.headerFields[.cabinetUser], user != account?.userRecordName {
            let user = user.prefix(255)
            throw AuthenticationError.failed(
                account.map {
                    "The credentials are not those of the user '\(user)'. They are those of '\($0.userRecordName)'."
                } ?? "The request has no credentials, and names the user '\(user)'.")
        }
        let device = exchange.request.headerFields[.cabinetDevice] ?? "server"
        guard (1...255).contains(device.utf8.count), device.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CabinetError(
                .invalidArguments, "'\(CabinetField.device)' has 1 to 255 printable characters of ASCII.")
        }
        return Caller(account: account, deviceID: device)
    }

    private func stream(
        _ scopes: [DatabaseScope], for caller: Caller, _ service: any DatabaseService, _ exchange: ServerExchange,
        _ container: WireContainer
    ) throws -> HTTPResponse {
        let signals = try service.signals(of: scopes, for: caller)
        let owner = "\(container) \(caller.account?.userRecordName ?? exchange.clientAddress ?? "")"
        // The stream holds the credentials, and neither the exchange nor what its body has arrived in.
        var request = exchange.request
        request.body = .empty
        let stream = try streams.open(signals, of: owner, limit: configuration.limits.streams) {
            [weak self, request] in
            let current = try? await self?.authenticator.authenticate(request, body: Data(), in: container)
            return current?.account == caller.account
        }
        var response = try HTTPResponse(
            contentType: SignalStream.contentType, body: HTTPBody(polling: stream.poll))
        try response.headerFields.set(.cacheControl, to: "no-store")
        // A proxy must not collect the events.
        response.headerFields.append(checked: .accelBuffering, value: "no")
        return response
    }

    private static func json(_ bytes: [UInt8]) throws -> HTTPResponse {
        var response = try HTTPResponse(contentType: "application/json", body: HTTPBody(Data(bytes)))
        try response.headerFields.set(.cacheControl, to: "no-store")
        return response
    }

    private func response(reporting error: any Error, _ exchange: ServerExchange) -> HTTPResponse {
        var (status, allowed): (Int?, String?)
        let coded: CabinetError
        switch error {
        case let error as RouteError:
            status = error.status
            switch error {
            case .notFound: coded = CabinetError(.serverRejectedRequest, "The server knows no such request.")
            case .malformed(let reason): coded = CabinetError(.invalidArguments, reason)
            case .methodNotAllowed(let methods):
                allowed = methods.joined(separator: ", ")
                coded = CabinetError(.invalidArguments, "The path is for \(methods.joined(separator: ", ")) alone.")
            }
        case let error as AuthenticationError: coded = CabinetError(.notAuthenticated, error.message)
        case let error as HTTPError where error.status == .contentTooLarge:
            coded = CabinetError(.limitExceeded, "\(error.message) Split the request.")
        case let error as HTTPError where error.status == .unsupportedMediaType:
            status = error.status.code
            coded = CabinetError(.invalidArguments, error.message)
        case is CancellationError:
            coded = CabinetError(.serviceUnavailable, "The request was cancelled. Try again.", retryAfterSeconds: 1)
        default: coded = shown(error, exchange)
        }
        var response = HTTPResponse(
            HTTPResponse.Status(code: status ?? coded.code.status) ?? .internalServerError,
            body: HTTPBody(Data(CabinetError.body(of: coded))))
        response.headerFields.append(checked: .contentType, value: "application/json")
        if let seconds = coded.retryAfter {
            response.headerFields.append(checked: .retryAfter, value: "\(seconds)")
        }
        if let allowed { response.headerFields.append(checked: .allow, value: allowed) }
        if error is AuthenticationError {
            response.headerFields.append(checked: .wwwAuthenticate, value: "Bearer")
        }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let cabinetUser = Self(known: "Cabinet-User")
    fileprivate static let cabinetDevice = Self(known: "Cabinet-Device")
    fileprivate static let accelBuffering = Self(known: "X-Accel-Buffering")
}
