import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("The pages of shares")
struct SharePageTests {
    private let accounts: AccountStore
    private let server: RecordServer
    private let ann: Container
    private let ben: Container
    private let tokens: (ben: String, dora: String)

    init() async throws {
        let backend = MemoryBackend()
        accounts = AccountStore(backend)
        let users = [try await accounts.addUser("ann"), try await accounts.addUser("ben")]
        try await accounts.addUser("dora")
        tokens = (try await accounts.signIn("ben"), try await accounts.signIn("dora"))
        let service = try LocalDatabaseService(backend: backend)
        var configuration = RecordServer.Configuration()
        (configuration.signIn, configuration.directory) = (accounts, accounts)
        // A slow machine gives no further tries.
        configuration.limits.address = RequestLimits.Rate(perSecond: 0.001, burst: 5_000)
        configuration.sharedContainers = [
            try SharedContainer(TestServer.container, programURL: "shopping://share/{guid}?a=1&b")
        ]
        server = RecordServer(
            [TestServer.container: service], authenticator: accounts, configuration: configuration)
        let containers = try users.map {
            try Container(
                identifier: TestServer.container.identifier, service: service,
                account: Account(userRecordName: $0.userRecordName))
        }
        (ann, ben) = (containers[0], containers[1])
    }

    private func send(
        _ target: String, _ form: String? = nil, from address: String = "203.0.113.7"
    ) async throws -> (status: Int, text: String, fields: HTTPFields) {
        let response = try await server.handler(
            HTTPRequest(
                method: form == nil ? .get : .post, target: target, headerFields: HTTPFields(),
                body: HTTPBody(form ?? ""), remoteAddress: address))
        let text = String(decoding: try await response.body.collect(upTo: 100_000), as: UTF8.self)
        return (response.status.code, text, response.headerFields)
    }

    /// Shares a zone with Ben, and returns the path of its page.
    @discardableResult
    private func share(
        title: String = "Groceries", permission: Share.ParticipantPermission = .none
    ) async throws -> (path: String, share: Share) {
        let zoneID = RecordZone.ID(zoneName: "Lists")
        try await ann.privateDatabase.save(RecordZone(zoneID: zoneID))
        var share = Share(recordZoneID: zoneID)
        share[Share.SystemFieldKey.title] = title
        share.publicPermission = permission
        if permission == .none { share.addParticipant(.init(userRecordName: try await ben.userRecordID().recordName)) }
        share = try await ann.privateDatabase.save(share)
        return ("/share/\(try #require(share.url).lastPathComponent)", share)
    }

    @Test("a participant signs in, sees what is shared by whom, and joins")
    func joining() async throws {
        let (path, share) = try await share()
        let guid = try #require(share.url).lastPathComponent
        let first = try await send(path)
        #expect(first.status == 200 && !first.text.contains("Groceries"))
        #expect(first.text.contains("href=\"shopping://share/\(guid)?a=1&amp;b\""))
        let seen = try await send(path, "token=\(tokens.ben)")
        #expect(seen.status == 200)
        #expect(seen.text.contains("<h1>Groceries</h1>") && seen.text.contains("You may read them."))
        let owner = try await ann.userRecordID().recordName
        #expect(seen.text.contains("<strong>\(owner)</strong>"))
        // The page has another token than the user's own.
        #expect(!seen.text.contains(tokens.ben))
        let token = String(try #require(seen.text.firstMatch(of: #/type="hidden" value="([^"]+)"/#)).1)
        #expect(try await ben.sharedDatabase.allRecordZones().isEmpty)
        let joined = try await send(path, "token=\(token)&join=yes")
        #expect(joined.status == 200 && joined.text.contains("You have joined."))
        #expect(try await ben.sharedDatabase.allRecordZones().count == 1)
        let again = try await send(path, "token=\(tokens.ben)")
        #expect(again.text.contains("You have joined.") && !again.text.contains("<button"))
    }

    @Test("unknown, foreign and revoked addresses have one page, before and after a sign-in")
    func alike() async throws {
        let (path, share) = try await share()
        let unknown = "/share/AAAAAAAAAAAAAAAAAAAAAA"
        func page(_ path: String, _ form: String? = nil) async throws -> String {
            let answer = try await send(path, form)
            let guid = path.dropFirst("/share/".count)
            return "\(answer.status) \(answer.text.replacing(guid, with: "GUID"))"
        }
        let before = try await page(unknown)
        #expect(try await page(path) == before)
        #expect(try await page("/share/x") == before)
        let dora = "token=\(tokens.dora)"
        let refusal = try await page(unknown, dora)
        #expect(refusal.hasPrefix("403 ") && refusal.contains("No share that this user may open"))
        #expect(try await page(path, dora) == refusal)
        #expect(try await page(path, "\(dora)&join=yes") == refusal)
        try await ann.privateDatabase.deleteRecord(withID: share.recordID)
        #expect(try await page(path) == before)
        #expect(try await page(path, "token=\(tokens.ben)") == refusal)
        let wrong = try await page(unknown, "token=wrong")
        #expect(wrong.hasPrefix("403 ") && wrong.contains("The token is not valid."))
        #expect(try await page(path, "token=wrong") == wrong)
        let malformed = try await page(unknown, "token=a%20b")
        #expect(try await page(path, "token=a%20b") == malformed)
    }

    @Test("a public share shows its title to everyone, escaped, and lets every user join")
    func everyone() async throws {
        let (path, _) = try await share(title: "<script>alert('x')</script>\"&", permission: .readWrite)
        let page = try await send(path)
        #expect(page.text.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"))
        #expect(!page.text.contains("<script"))
        #expect(page.text.contains("read and change"))
        let joined = try await send(path, "token=\(tokens.dora)&join=yes")
        #expect(joined.status == 200 && joined.text.contains("You have joined."))
    }

    @Test("no script runs, nothing frames or keeps the page, and other paths are none")
    func fields() async throws {
        let page = try await send("/share/AAAAAAAAAAAAAAAAAAAAAA")
        for (name, part) in [
            ("Content-Security-Policy", "script-src 'none'"), ("Content-Security-Policy", "default-src 'none'"),
            ("Content-Security-Policy", "frame-ancestors 'none'"), ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ] {
            #expect(page.fields[try #require(HTTPField.Name(name))]?.contains(part) == true, "\(name)")
        }
        #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
        #expect(try await send("/share/page.css").text.contains("color-scheme"))
        for target in ["/share", "/share/a/b"] { #expect(try await send(target).status == 404, "\(target)") }
        #expect(try await send("/share/%22%3E%3Cb%3E").text.contains("<b>") == false)
        #expect(try await send("/share/a", String(repeating: "a", count: 5_000)).status == 413)
        // A server without shared containers has no pages.
        let other = try TestServer()
        #expect(try await other.send(.get, "/share/AAAAAAAAAAAAAAAAAAAAAA").status == .notFound)
    }

    @Test("tries of an address are limited, and those of another one are not")
    func tries() async throws {
        var codes: Set<Int> = []
        for number in 0..<400 where !codes.contains(429) {
            codes.insert(try await send("/share/\(number)").status)
        }
        #expect(codes == [200, 429])
        #expect(try await send("/share/a", from: "198.51.100.1").status == 200)
        codes = []
        for number in 0..<400 where !codes.contains(429) {
            codes.insert(try await send("/share/a", "token=\(number)", from: "198.51.100.2").status)
        }
        #expect(codes == [403, 429])
    }

    @Test("a program's URL has the short GUID once, and is none that a browser runs")
    func programURLs() throws {
        let container = TestServer.container
        for text in [
            "javascript:alert('{guid}')", "JavaScript:{guid}", "data:text/html,{guid}", "shopping://share",
            "shopping://{guid}/{guid}", "{guid}", "shopping://a b/{guid}", "",
        ] {
            #expect(throws: CabinetError.self, "\(text)") { try SharedContainer(container, programURL: text) }
        }
        let shared = try SharedContainer(container, programURL: "https://example.com/open?share={guid}")
        #expect(shared.programURL(for: "abc") == "https://example.com/open?share=abc")
    }
}
