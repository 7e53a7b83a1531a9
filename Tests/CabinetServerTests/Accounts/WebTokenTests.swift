import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("Web tokens")
struct WebTokenTests {
    private let backend = MemoryBackend()
    private let clock = TestClock()
    private let accounts: AccountStore

    init() async throws {
        accounts = AccountStore(backend, now: clock.now)
        try await accounts.addUser("ann")
    }

    private func authenticate(_ token: String, by accounts: AccountStore? = nil) async throws -> Authentication {
        let request = HTTPRequest(method: .post, path: "/", query: "ckWebAuthToken=\(token)")
        return try await (accounts ?? self.accounts).authenticate(request, body: Data(), in: TestServer.container)
    }

    private func next(after token: String, by accounts: AccountStore? = nil) async throws -> String {
        try #require(try await authenticate(token, by: accounts).nextWebToken)
    }

    private func sessionCount() async throws -> Int {
        try await backend.read(.public) {
            try await $0.entries(in: StorageKey.all("account", "session"), limit: .max).count
        }
    }

    @Test("stay the same for some minutes, and are then replaced by one for all requests and servers")
    func replacement() async throws {
        let first = try await accounts.signIn("ann")
        #expect(try await next(after: first) == first)
        clock.advance(by: 299)
        #expect(try await next(after: first) == first)
        clock.advance(by: 1)
        let second = try await next(after: first, by: AccountStore(backend, now: clock.now))
        #expect(second != first)
        clock.advance(by: AccountStore.memory)
        async let others = [next(after: first), next(after: first, by: AccountStore(backend, now: clock.now))]
        #expect(try await others == [second, second])
        #expect(try await sessionCount() == 2)
        #expect(try await authenticate(second).account == authenticate(first).account)
    }

    @Test("stay valid while their successor is not used, for a lost or ignored response")
    func ignored() async throws {
        let first = try await accounts.signIn("ann")
        for _ in 0..<5 {
            clock.advance(by: 86_400)
            _ = try await next(after: first)
        }
        clock.advance(by: 9 * 86_400)
        await #expect(throws: AuthenticationError.expired("The sign-in has expired. Sign in again.")) {
            try await authenticate(first)
        }
    }

    @Test("end a minute after the successor was used, and then end the whole sign-in")
    func theft() async throws {
        let (first, other) = (try await accounts.signIn("ann"), try await accounts.signIn("ann"))
        clock.advance(by: 300)
        let second = try await next(after: first)
        #expect(try await next(after: second) == second)
        clock.advance(by: AccountStore.overlap - 1)
        // A request that was under way.
        #expect(try await next(after: first) == second)
        clock.advance(by: 1)
        await #expect(throws: AuthenticationError.expired("The token was replaced, and used again. Sign in again.")) {
            try await authenticate(first)
        }
        await #expect(throws: AuthenticationError.expired("The token is not valid.")) { try await authenticate(second) }
        #expect(try await authenticate(other).account != nil)
        // The token of the other sign-in, and its successor.
        #expect(try await sessionCount() == 2)
    }

    @Test("of long sign-ins leave few entries, and recognize the last eight of them")
    func entries() async throws {
        var tokens = [try await accounts.signIn("ann", for: AccountStore.shortSessionTime)]
        for _ in 0..<30 {
            clock.advance(by: 400)
            tokens.append(try await next(after: tokens[tokens.count - 1]))
            #expect(tokens[tokens.count - 1] != tokens[tokens.count - 2])
            _ = try await authenticate(tokens[tokens.count - 1])
        }
        #expect(try await sessionCount() == Session.maximumEarlierCount + 1)
        await #expect(throws: AuthenticationError.expired("The token is not valid.")) {
            try await authenticate(tokens[2])
        }
        #expect(try await authenticate(tokens[30]).account != nil)
        await #expect(throws: AuthenticationError.self) { try await authenticate(tokens[24]) }
        await #expect(throws: AuthenticationError.self) { try await authenticate(tokens[30]) }
        #expect(try await sessionCount() == 0)
    }

    @Test("are refused, and end no sign-in, where no answer could have replaced them", arguments: [true, false])
    func otherDialect(isBearer: Bool) async throws {
        let first = try await accounts.signIn("ann")
        clock.advance(by: 300)
        let second = try await next(after: first)
        _ = try await next(after: second)
        clock.advance(by: AccountStore.overlap)
        var request = HTTPRequest(method: .get, path: "/cabinet/1/com.example.notes/development/signals")
        if isBearer {
            request.headerFields.append(try HTTPField(name: .authorization, value: "Bearer \(first)"))
        } else {
            request.query = "ckWebAuthToken=\(first)"
        }
        await #expect(throws: AuthenticationError.self) {
            try await accounts.authenticate(request, body: Data(), in: TestServer.container)
        }
        #expect(try await authenticate(second).account != nil)
    }

    @Test("of the sign-in page end with the token that they were given for, and are valid no longer")
    func page() async throws {
        let first = try await accounts.signIn("ann", for: AccountStore.shortSessionTime)
        let other = try await accounts.webToken(for: first, isKept: true, in: TestServer.container)
        #expect(try await authenticate(other).account != nil)
        clock.advance(by: 460)
        let second = try await next(after: first)
        _ = try await next(after: second)
        clock.advance(by: AccountStore.overlap)
        #expect(try await authenticate(other).account != nil)
        await #expect(throws: AuthenticationError.self) { try await authenticate(first) }
        await #expect(throws: AuthenticationError.self) { try await authenticate(other) }
        let kept = try await accounts.webToken(
            for: try await accounts.signIn("ann", for: AccountStore.shortSessionTime), isKept: true,
            in: TestServer.container)
        clock.advance(by: AccountStore.shortSessionTime)
        await #expect(throws: AuthenticationError.self) { try await authenticate(kept) }
    }

    @Test("give no others on the sign-in page, where a thief would enter them")
    func thief() async throws {
        let bearer = try await accounts.signIn("ann")
        let web = try await accounts.webToken(for: bearer, isKept: true, in: TestServer.container)
        let first = try await accounts.signIn("ann")
        clock.advance(by: 300)
        for stolen in [web, first, try await next(after: first)] {
            _ = try await next(after: stolen)
            await #expect(throws: AuthenticationError.self) {
                try await accounts.webToken(for: stolen, isKept: true, in: TestServer.container)
            }
        }
    }

    @Test("of the sign-in page, and those that replace them, end on the date of the token that they were given for")
    func limit() async throws {
        let bearer = try await accounts.signIn("ann", for: 3_600)
        clock.advance(by: 3_000)
        var web = try await accounts.webToken(for: bearer, isKept: true, in: TestServer.container)
        for seconds in [200.0, 300] {
            clock.advance(by: seconds)
            let new = try await next(after: web)
            #expect(new != web)
            web = new
        }
        clock.advance(by: 99)
        #expect(try await authenticate(web).account != nil)
        clock.advance(by: 1)
        await #expect(throws: AuthenticationError.self) { try await authenticate(web) }
    }

    @Test("are not replaced if they come as bearer tokens")
    func bearer() async throws {
        let token = try await accounts.signIn("ann")
        clock.advance(by: 600)
        let field = try HTTPField(name: .authorization, value: "Bearer \(token)")
        let request = HTTPRequest(method: .post, path: "/", headerFields: HTTPFields([field]))
        for _ in 0..<2 {
            let found = try await accounts.authenticate(request, body: Data(), in: TestServer.container)
            #expect(found.account != nil)
            #expect(found.nextWebToken == nil)
        }
        #expect(try await next(after: token) != token)
    }

    @Test("come with each response of CloudKit's dialect, also with errors, and in those about the user")
    func responses() async throws {
        let service = try LocalDatabaseService(backend: backend, now: clock.now)
        let server = RecordServer([TestServer.container: service], authenticator: accounts)
        let token = try await accounts.signIn("ann")
        clock.advance(by: 300)
        func send(_ operation: CloudKitOperation, _ scope: DatabaseScope, _ json: String) async throws -> HTTPResponse {
            let route = CloudKitRoute(operation, in: TestServer.container, scope: scope)
            return try await server.handler(
                HTTPRequest(
                    method: .post, target: "\(route.target.description)?ckWebAuthToken=\(token)",
                    headerFields: HTTPFields(),
                    body: HTTPBody(json), remoteAddress: "203.0.113.7"))
        }
        let name = try #require(HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token"))
        let next = try await next(after: token)
        for json in [#"{"records":[{"recordName":"a"}]}"#, "{", #"{"records":1}"#] {
            #expect(try await send(.recordsLookup, .private, json).headerFields[name] == next)
        }
        let response = try await send(.usersCaller, .public, "{}")
        let root = try JSONText(Array(try await response.body.collect(upTo: 10_000))).root
        #expect(try root.required("ckWebAuthToken").string() == next)
    }
}
