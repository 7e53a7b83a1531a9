import Cabinet
import CabinetWire
import Foundation

/// The page on which the users of CloudKit's clients sign in: `/sign-in/CONTAINER/ENVIRONMENT?ckAPIToken=TOKEN`.
extension RecordServer {
    /// The largest number of bytes of the page's form.
    private static let formSize = 4_096

    /// Returns the page on which a user of a container signs in.
    func signInURL(of container: WireContainer, _ exchange: ServerExchange, _ target: RequestTarget) -> String? {
        guard configuration.signIn != nil, configuration.signInURL == nil else { return configuration.signInURL }
        let page = RequestTarget(
            path: ["sign-in", container.identifier, container.environment.rawValue],
            query: target["ckAPIToken"].map { [.init(name: "ckAPIToken", value: $0)] } ?? [])
        return baseURL(for: exchange.request) + page.description
    }

    func signInResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        exchange.set(name: "sign-in")
        var response: HTTPResponse
        do {
            response = try await signInPage(exchange, target)
        } catch {
            response = textResponse(reporting: error, exchange)
        }
        response.addPageFields(sources: "script-src 'self'; ")
        return response
    }

    private func signInPage(_ exchange: ServerExchange, _ target: RequestTarget) async throws -> HTTPResponse {
        guard let signIn = configuration.signIn else { throw HTTPError(.notFound, "Nothing has this path.") }
        let method = exchange.request.method
        switch target.path.dropFirst() {
        case ["page.css"]: return try HTTPResponse(contentType: "text/css", body: HTTPBody(HTMLPage.style))
        case ["page.js"]: return try HTTPResponse(contentType: "text/javascript", body: HTTPBody(SignInPage.script))
        default: break
        }
        guard target.path.count == 3, let environment = WireEnvironment(rawValue: target.path[2]) else {
            throw HTTPError(.notFound, "Nothing has this path.")
        }
        let container = WireContainer(identifier: target.path[1], environment: environment)
        exchange.set(container)
        guard services(container) != nil else { throw HTTPError(.notFound, "There is no such container.") }
        try countAddress(of: exchange)
        var callback: URL?
        do {
            if let apiToken = target["ckAPIToken"] {
                callback = try await signIn.callbackURL(ofAPIToken: apiToken, in: container)
            }
            guard method == .post else {
                guard method == .get || method == .head else { throw HTTPError.methodNotAllowed(.get, .head, .post) }
                return try page(.form(container, failure: nil), .ok)
            }
            let form = try HTTPForm(try await exchange.request.body.collect(upTo: Self.formSize))
            let token = try await signIn.webToken(for: form["token"], isKept: !form["keep"].isEmpty, in: container)
            return try page(.signedIn(token, callback), .ok)
        } catch let error as AuthenticationError {
            countGuess(of: exchange)
            return try page(.form(container, failure: error.message), .forbidden)
        }
    }

    private func page(_ page: SignInPage, _ status: HTTPResponse.Status) throws -> HTTPResponse {
        try HTTPResponse(status, contentType: "text/html; charset=utf-8", body: HTTPBody(page.html.text))
    }
}
