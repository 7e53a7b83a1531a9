import Cabinet
import CabinetServer
import CabinetTesting
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Who reaches the dashboard")
struct AccessTests {
    @Test("A code signs in once, by a form alone")
    func codes() async throws {
        let visitor = try await DashboardVisitor()
        let path = visitor.dashboard.makeSignInPath()
        for _ in 0..<2 {
            // A browser may read an address before the person opens it.
            let shown = try await visitor.send(.get, path, cookie: "")
            #expect(shown.status == .ok)
        }
        let body = String(path.split(separator: "?")[1])
        let first = try await visitor.send(.post, "/dashboard/sign-in", body: body, cookie: "")
        #expect(first.status == .seeOther)
        let cookie = try #require(first.headerFields[.setCookie])
        #expect(
            cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("Path=/dashboard"))
        #expect(!cookie.contains("Secure"))
        let second = try await visitor.send(.post, "/dashboard/sign-in", body: body, cookie: "")
        #expect(second.status == .forbidden)
        let wrong = try await visitor.send(.post, "/dashboard/sign-in", body: "code=x", cookie: "")
        #expect(wrong.status == .forbidden)
        let long = "code=" + String(repeating: "x", count: 64 << 10)
        #expect(try await visitor.send(.post, "/dashboard/sign-in", body: long, cookie: "").status == .contentTooLarge)
    }

    @Test("Over TLS the cookie is for TLS alone")
    func secureCookie() async throws {
        let dashboard = Dashboard(stores: [], origins: ["https://notes.example.com"])
        let code = dashboard.makeSignInPath().split(separator: "?")[1]
        var fields = HTTPFields()
        try fields.set(.host, to: "notes.example.com")
        try fields.set(.origin, to: "https://notes.example.com")
        try fields.set(.contentType, to: "application/x-www-form-urlencoded")
        let response = try await dashboard.handler(
            HTTPRequest(method: .post, path: "/dashboard/sign-in", headerFields: fields, body: HTTPBody(String(code))))
        #expect(response.headerFields[.setCookie]?.contains("; Secure") == true)
    }

    @Test("A cookie is found behind any other one")
    func otherCookies() throws {
        var fields = HTTPFields()
        try fields.set(.cookie, to: "a=b\u{600}; c=d")
        #expect(HTTPRequest(method: .get, path: "/", headerFields: fields).cookie("c") == "d")
    }

    @Test("Without a session, every page and every change is refused")
    func strangers() async throws {
        let visitor = try await DashboardVisitor()
        try await visitor.database.save(Record(recordType: "Coins", recordID: "penny"))
        for page in ["", "zones", "records?type=Coins", "record?name=penny", "schema", "export?type=Coins", "events"] {
            let path = DashboardVisitor.place + "/" + page
            for cookie in ["", "cabinet=x", visitor.cookie + "x"] {
                let response = try await visitor.send(
                    .get, page.isEmpty ? DashboardVisitor.place : path, cookie: cookie)
                #expect(response.status == .unauthorized, "\(page)")
                let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
                #expect(!text.contains("Coins"))
            }
        }
        let deletion = try await visitor.send(
            .post, DashboardVisitor.address("delete", ["name": "penny"]), body: "token=x", cookie: "")
        #expect(deletion.status == .unauthorized)
        _ = try await visitor.database.record(for: "penny")
    }

    @Test("Another name of this machine, and other sites' forms, are refused")
    func origins() async throws {
        let visitor = try await DashboardVisitor()
        try await visitor.database.save(Record(recordType: "Coins", recordID: "penny"))
        for host in ["evil.example", "127.0.0.1:8081", "127.0.0.1", "127.0.0.1:8080.evil.example", ""] {
            let response = try await visitor.send(.get, DashboardVisitor.place, host: host)
            #expect(response.status == .misdirectedRequest, "\(host)")
        }
        let page = try await visitor.page("delete", ["name": "penny"])
        let token = try #require(page.hidden("token"))
        let tag = DashboardVisitor.escaped(try #require(page.hidden("tag")))
        let address = DashboardVisitor.address("delete", ["name": "penny"])
        for origin in ["http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:8081", nil] {
            let response = try await visitor.send(.post, address, body: "token=\(token)&tag=\(tag)", origin: origin)
            #expect(response.status == .forbidden, "\(origin ?? "none")")
        }
        for body in ["", "token=", "token=x", "Token=\(token)"] {
            let response = try await visitor.send(.post, address, body: body)
            #expect(response.status == .forbidden, "\(body)")
        }
        _ = try await visitor.database.record(for: "penny")
        let response = try await visitor.send(.post, address, body: "token=\(token)&tag=\(tag)")
        #expect(response.status == .seeOther)
        await #expect(throws: (any Error).self) { try await visitor.database.record(for: "penny") }
    }

    @Test("A compressed form is refused with 415, and changes nothing")
    func coding() async throws {
        let visitor = try await DashboardVisitor()
        var fields = HTTPFields()
        try fields.set(.host, to: "127.0.0.1:8080")
        try fields.set(.cookie, to: visitor.cookie)
        try fields.set(.origin, to: DashboardVisitor.origin)
        try fields.set(.contentType, to: "application/x-www-form-urlencoded")
        try fields.set(.contentEncoding, to: "gzip")
        let request = HTTPRequest(
            method: .post, target: DashboardVisitor.address("zones"), headerFields: fields,
            body: HTTPBody(Data([0x1F, 0x8B])))
        #expect(try await visitor.dashboard.handler(request).status == .unsupportedMediaType)
    }

    @Test("Nothing changes by an address alone, and tokens are in no address")
    func addresses() async throws {
        let visitor = try await DashboardVisitor()
        try await visitor.database.save(Record(recordType: "Coins", recordID: "penny"))
        let page = try await visitor.page("delete", ["name": "penny"])
        let token = try #require(page.hidden("token"))
        _ = try await visitor.send(.get, DashboardVisitor.address("delete", ["name": "penny", "token": token]))
        _ = try await visitor.database.record(for: "penny")
        for page in ["", "zones", "schema", "changes"] {
            let text = try await visitor.page(page)
            for address in text.matches(of: #/href="([^"]*)"/#) { #expect(!address.1.contains(token)) }
        }
    }

    @Test(
        "No address leads to another site",
        arguments: [
            "/dashboard/act?container=%2F%2Fevil.example&environment=x&user=a",
            "/dashboard/act?container=a&environment=..&user=%2F%2Fevil.example",
            "/dashboard/act?container=&environment=&user=https:%2F%2Fevil.example",
            "/dashboard/sign-in?code=x&next=https:%2F%2Fevil.example",
            "/dashboard//evil.example", "/dashboard?next=%2F%2Fevil.example",
        ])
    func redirects(_ path: String) async throws {
        let visitor = try await DashboardVisitor()
        let response = try await visitor.send(.get, path)
        if let location = response.headerFields[.location] {
            let target = URL(string: location, relativeTo: URL(string: DashboardVisitor.origin))
            #expect(target?.host() == "127.0.0.1" && location.hasPrefix("/dashboard/"), "\(location)")
        }
    }

    @Test("The address of the listener leads to the first page, under its own names alone")
    func root() async throws {
        let visitor = try await DashboardVisitor()
        let response = try await visitor.send(.get, "/")
        #expect(response.status == .seeOther && response.headerFields[.location] == "/dashboard")
        #expect(try await visitor.send(.get, "/", host: "evil.example").status == .misdirectedRequest)
        for path in ["/dashboards", "/favicon.ico", "/style"] {
            #expect(try await visitor.send(.get, path).status == .notFound, "\(path)")
        }
        #expect(try await visitor.send(.post, "/", body: "").status == .notFound)
    }

    @Test("Every answer forbids scripts of others, frames and guesses of types")
    func headers() async throws {
        let visitor = try await DashboardVisitor()
        let paths = [
            "/dashboard", DashboardVisitor.place, "/dashboard/none", "/dashboard/style/dashboard.css",
            "/dashboard/sign-in?code=x",
        ]
        for path in paths {
            for cookie in ["", visitor.cookie] {
                let fields = try await visitor.send(.get, path, cookie: cookie).headerFields
                let policy = fields[.contentSecurityPolicy] ?? ""
                #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
                #expect(!policy.contains("unsafe"))
                #expect(fields[.contentTypeOptions] == "nosniff")
                #expect(fields[.cacheControl]?.contains(path.contains("/style/") ? "private" : "no-store") == true)
            }
        }
    }

    @Test("Signing out ends the session")
    func signOut() async throws {
        let visitor = try await DashboardVisitor()
        let token = try #require(try await visitor.page("").hidden("token"))
        _ = try await visitor.send(.post, "/dashboard/sign-out", body: "token=\(token)")
        #expect(try await visitor.send(.get, DashboardVisitor.place).status == .unauthorized)
    }

    @Test("A page that takes too long is cancelled with a clear answer")
    func slowPages() async throws {
        var visitor = try await DashboardVisitor()
        visitor.dashboard.timeLimit = .milliseconds(10)
        visitor.backend.inject(.delay(.seconds(3_600)), on: .read)
        let start = ContinuousClock.now
        let response = try await visitor.send(.get, DashboardVisitor.place)
        #expect(response.status == .serviceUnavailable)
        #expect(start.duration(to: .now) < .seconds(9))
    }

    @Test("Sessions and codes are bounded: the oldest ends")
    func bounds() {
        let sessions = DashboardSessions()
        let first = sessions.signIn(sessions.makeCode())
        #expect(first.flatMap { sessions.session($0) } != nil)
        for _ in 0..<64 { #expect(sessions.signIn(sessions.makeCode()) != nil) }
        #expect(first.flatMap { sessions.session($0) } == nil)
        let old = sessions.makeCode()
        for _ in 0..<64 { _ = sessions.makeCode() }
        #expect(sessions.signIn(old) == nil)
    }

    @Test(
        "Malformed and hostile addresses have a clear answer",
        arguments: [
            "/dashboard/%", "/dashboard/..", "/dashboard//", "/dashboard/a/b/c/d/e/f",
            "/dashboard/com.example.coins/development/root",
            "/dashboard/com.example.coins/production/private", "/dashboard/com.example.coins/development/private/none",
            "/dashboard/com.example.coins/development/private/records",
            "/dashboard/com.example.coins/development/private/record",
            "/dashboard/com.example.coins/development/private/records?type=None",
            "/dashboard/com.example.coins/development/private/record?name=none",
            "/dashboard/com.example.coins/development/private/changes?since=x",
            "/dashboard/com.example.coins/development/private~a%20b/zones",
            "/dashboard/com.example.coins/development/private/asset?name=x&field=y&index=99999999999999999999",
        ])
    func malformed(_ path: String) async throws {
        let visitor = try await DashboardVisitor()
        let response = try await visitor.send(.get, path)
        #expect((400..<500).contains(response.status.code), "\(response.status)")
    }
}
