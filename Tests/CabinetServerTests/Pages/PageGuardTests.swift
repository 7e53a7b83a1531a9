import Foundation
import Testing

@testable import CabinetServer

@Suite("The guard of pages")
struct PageGuardTests {
    private let pages = PageGuard(
        origins: PageGuard.origins(of: "http://127.0.0.1:8080") + ["https://notes.example.com"])

    private func request(
        _ method: HTTPRequest.Method, host: String, origin: String? = nil, site: String? = nil
    ) throws -> HTTPRequest {
        var fields = HTTPFields()
        try fields.set(.host, to: host)
        try fields.set(.origin, to: origin)
        try fields.set(.fetchSite, to: site)
        return HTTPRequest(method: method, path: "/", headerFields: fields)
    }

    @Test(
        "Only the program's own names are answered",
        arguments: [
            ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true), ("notes.example.com", true),
            ("127.0.0.1", false), ("127.0.0.1:80801", false), ("evil.example", false), ("notes.example.com.", false),
            ("notes.example.com:443", false), ("127.0.0.1:8080.evil.example", false), ("", false),
        ])
    func hosts(_ host: String, isOwn: Bool) throws {
        let request = try request(.get, host: host)
        #expect(((try? pages.check(request)) != nil) == isOwn)
    }

    @Test("A form comes from a page of the same origin")
    func origins() throws {
        try pages.check(request(.post, host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080"))
        try pages.check(request(.post, host: "127.0.0.1:8080", site: "same-origin"))
        for (origin, site) in [
            ("http://localhost:8080", nil), ("https://127.0.0.1:8080", nil), ("null", nil),
            ("http://evil.example", "same-origin"),
            (nil, nil), (nil, "same-site"), (nil, "cross-site"), (nil, "none"),
        ] as [(String?, String?)] {
            #expect(throws: HTTPError.self) {
                try pages.check(request(.post, host: "127.0.0.1:8080", origin: origin, site: site))
            }
        }
    }

    @Test("A form has the secret of the program that runs")
    func tokens() throws {
        let token = try #require(pages.formField.text.firstMatch(of: #/value="([^"]{43})"/#)?.1)
        try pages.check(HTTPForm(Data("token=\(token)".utf8)))
        for body in ["", "token=", "token=\(token)x", "Token=\(token)"] {
            #expect(throws: HTTPError.self) { try pages.check(HTTPForm(Data(body.utf8))) }
        }
        let other = PageGuard(origins: ["http://127.0.0.1:8080"])
        #expect(throws: HTTPError.self) { try other.check(HTTPForm(Data("token=\(token)".utf8))) }
    }

    @Test("Streams of events are bounded, and end with their readers")
    func events() async throws {
        let events = PageEvents()
        var responses: [HTTPResponse] = []
        for _ in 0..<64 { responses.append(try events.response(AsyncStream<Void> { _ in })) }
        #expect(throws: HTTPError.self) { try events.response(AsyncStream<Void> { _ in }) }
        responses.removeAll()
        for _ in 0..<500 where (try? events.response(AsyncStream<Void> { $0.finish() })) == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        let response = try events.response(
            AsyncStream<Void> { stream in
                stream.yield()
                stream.finish()
            })
        #expect(response.headerFields[.contentType] == "text/event-stream")
        let text = String(decoding: try await response.body.collect(upTo: 1_000), as: UTF8.self)
        #expect(text == "data: change\n\n")
    }

    @Test("Streams of events end at once when the server does, and no others begin", .timeLimit(.minutes(1)))
    func end() async throws {
        let events = PageEvents()
        let response = try events.response(AsyncStream<Void> { _ in })
        events.end()
        #expect(try await response.body.collect(upTo: 1_000).isEmpty)
        #expect(throws: HTTPError.self) { try events.response(AsyncStream<Void> { _ in }) }
    }
}
