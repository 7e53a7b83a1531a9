import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("The sign-in page")
struct SignInTests {
    private let accounts: AccountStore
    private let server: RecordServer
    private let path = "/sign-in/com.example.notes/development"

    init() async throws {
        let backend = MemoryBackend()
        accounts = AccountStore(backend)
        try await accounts.addUser("ann")
        var configuration = RecordServer.Configuration()
        (configuration.signIn, configuration.publicURL) = (accounts, "https://records.example.com")
        server = RecordServer(
            [TestServer.container: try LocalDatabaseService(backend: backend)], authenticator: accounts,
            configuration: configuration)
    }

    private func send(
        _ method: HTTPRequest.Method, _ target: String, _ form: String = ""
    ) async throws -> (response: HTTPResponse, text: String) {
        let response = try await server.handler(
            HTTPRequest(
                method: method, target: target, headerFields: HTTPFields(), body: HTTPBody(form),
                remoteAddress: "203.0.113.7"))
        return (response, String(decoding: try await response.body.collect(upTo: 100_000), as: UTF8.self))
    }

    @Test("is where a request without a user sends, and gives the program's page a web token")
    func whole() async throws {
        let apiToken = try await accounts.addToken("website", callbackURL: URL(string: "https://example.com/notes?a=1"))
        let route = CloudKitRoute(.zonesList, in: TestServer.container, scope: .private)
        let refusal = try await send(.post, "\(route.target.description)?ckAPIToken=\(apiToken)", "{}")
        #expect(refusal.response.status.code == 421)
        let address = try JSONText(Array(refusal.text.utf8)).root.required("redirectURL").string()
        #expect(address == "https://records.example.com\(path)?ckAPIToken=\(apiToken)")

        let form = try await send(.get, "\(path)?ckAPIToken=\(apiToken)")
        #expect(form.response.status == .ok)
        #expect(form.text.contains("<form method=\"post\">"))
        let token = try await accounts.signIn("ann")
        let end = try await send(.post, "\(path)?ckAPIToken=\(apiToken)", "token=\(token)&keep=on")
        #expect(end.response.status == .ok)
        #expect(end.text.contains("data-origin=\"https://example.com\""))
        let match = try #require(
            end.text.firstMatch(of: #/https://example.com/notes\?a=1&amp;ckWebAuthToken=([A-Za-z0-9_-]+)"/#))
        let webToken = String(match.1)
        #expect(webToken != token)
        let zones = try await send(
            .post, "\(route.target.description)?ckAPIToken=\(apiToken)&ckWebAuthToken=\(webToken)", "{}")
        #expect(zones.response.status == .ok)
    }

    @Test(
        "sends the token to the program's origin alone",
        arguments: [
            ("https://example.com/a?b", "https://example.com"), ("http://localhost:3000/", "http://localhost:3000"),
            ("http://[::1]:3000/cb", "http://[::1]:3000"),
        ])
    func origin(callback: String, origin: String) {
        let page = SignInPage.signedIn("t", URL(string: callback)).html.text
        #expect(page.contains("data-origin=\"\(origin)\""))
    }

    @Test("refuses wrong tokens and unknown programs, escapes what it shows, and is never framed or cached")
    func refusals() async throws {
        let wrong = try await send(.post, path, "token=%3Cscript%3E")
        #expect(wrong.response.status == .forbidden)
        #expect(wrong.text.contains("The token is not valid."))
        #expect(!wrong.text.contains("<script>"))
        for (name, part) in [
            ("Content-Security-Policy", "frame-ancestors 'none'"), ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ] {
            let value = wrong.response.headerFields[try #require(HTTPField.Name(name))]
            #expect(value?.contains(part) == true, "\(name)")
        }
        #expect(try await send(.get, "\(path)?ckAPIToken=other").response.status == .forbidden)
        for target in [
            "/sign-in", "/sign-in/com.example.notes", "/sign-in/other/development", "/sign-in/%3Cb%3E/production",
        ] {
            #expect(try await send(.get, target).response.status == .notFound, "\(target)")
        }
        #expect(try await send(.delete, path).response.status == .methodNotAllowed)
        let long = try await send(.post, path, String(repeating: "a", count: 5_000))
        #expect(long.response.status.code == 413)
        for url in [
            "http://example.com/", "javascript:alert(1)", "https://ann@example.com/", "https://example.com/#a", "a",
        ] {
            await expectCode(.invalidArguments) { try await accounts.addToken("p", callbackURL: URL(string: url)) }
        }
    }

    @Test("costs a wrong token as much as many requests")
    func guesses() async throws {
        var codes: Set<Int> = []
        for number in 0..<400 where !codes.contains(429) {
            codes.insert(try await send(.post, path, "token=\(number)").response.status.code)
        }
        #expect(codes == [403, 429])
    }
}
