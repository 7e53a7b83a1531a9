import CabinetServer
import Foundation
import Testing

/// A browser without a screen, for the pages of a program.
struct SiteVisitor: Sendable {
    static let origin = "http://127.0.0.1:8080"

    let handler: HTTPHandler

    /// The guard of the program's pages.
    static var pages: PageGuard { PageGuard(origins: PageGuard.origins(of: origin)) }

    func send(
        _ method: HTTPRequest.Method, _ path: String, body: String = "", host: String = "127.0.0.1:8080",
        origin: String? = Self.origin, type: String = "application/x-www-form-urlencoded"
    ) async throws -> HTTPResponse {
        var fields = HTTPFields()
        try fields.set(.host, to: host)
        if method == .post {
            try fields.set(.origin, to: origin)
            try fields.set(.contentType, to: type)
        }
        return try await handler(
            HTTPRequest(method: method, target: path, headerFields: fields, body: HTTPBody(body)))
    }

    /// Returns the text of a page, which must have a status.
    func page(
        _ path: String, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let response = try await send(.get, path)
        #expect(response.status.code == status, sourceLocation: sourceLocation)
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Returns the secret of a page's forms.
    func token() async throws -> String {
        let match = try await page("/").firstMatch(of: #/name="token" value="([^"]+)"/#)
        return String(try #require(match?.1))
    }

    /// Sends a form, and returns the address of the next page, or the text of the answer.
    func submit(
        _ path: String, _ fields: KeyValuePairs<String, String>, status: Int = 303,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let escaped = try await ([("token", token())] + fields.map { ($0.key, $0.value) }).map {
            "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let response = try await send(.post, path, body: escaped.joined(separator: "&"))
        #expect(response.status.code == status, sourceLocation: sourceLocation)
        if let location = response.headerFields[HTTPField.Name.location] { return location }
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Expects that other sites reach neither the pages nor their forms.
    func expectSafety(form path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for host in ["evil.example", "127.0.0.1:8081", "127.0.0.1", ""] {
            let response = try await send(.get, "/", host: host)
            #expect(response.status == .misdirectedRequest, "\(host)", sourceLocation: sourceLocation)
        }
        let token = try await token()
        for origin in ["http://evil.example", "null", "https://127.0.0.1:8080", nil] {
            let response = try await send(.post, path, body: "token=\(token)&name=x&title=x&text=x", origin: origin)
            #expect(response.status == .forbidden, "\(origin ?? "none")", sourceLocation: sourceLocation)
        }
        for body in ["", "token=", "token=x", "Token=\(token)"] {
            let response = try await send(.post, path, body: body + "&name=x&title=x&text=x")
            #expect(response.status == .forbidden, "\(body)", sourceLocation: sourceLocation)
        }
        for type in ["text/plain", "application/json", "multipart/form-data"] {
            let response = try await send(.post, path, body: "token=\(token)&name=x", type: type)
            #expect((400..<500).contains(response.status.code), "\(type)", sourceLocation: sourceLocation)
        }
        for path in ["/", "/none", "/style.css", "/script.js", "/events"] {
            let fields = try await send(.get, path).headerFields
            let policy = fields[try #require(HTTPField.Name("Content-Security-Policy"))] ?? ""
            #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
            #expect(!policy.contains("unsafe"))
            #expect(fields[try #require(HTTPField.Name("X-Content-Type-Options"))] == "nosniff")
        }
        for path in [
            "/%", "/..", "//", "/lists/%2e%2e", "/notes/x", "/lists/x", "/lists/x/delete", "/notes/x/picture", "/a/b/c",
        ] {
            let response = try await send(.get, path)
            #expect(response.status == .notFound || path == "//", "\(path)", sourceLocation: sourceLocation)
        }
    }

    /// Texts that are dangerous in markup.
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><script>",
        "</textarea><script>", "&lt;b&gt;", "\u{202E}gnp.exe", "a\u{0}b",
    ]
}
