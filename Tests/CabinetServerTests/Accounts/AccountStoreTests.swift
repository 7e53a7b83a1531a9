import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("Accounts of a store")
struct AccountStoreTests {
    private let backend = MemoryBackend()
    private let clock = TestClock()

    private var accounts: AccountStore { AccountStore(backend, now: clock.now) }

    private func authenticate(_ token: String, by accounts: AccountStore) async throws -> Authentication {
        let field = try HTTPField(name: .authorization, value: "Bearer \(token)")
        let request = HTTPRequest(method: .post, path: "/", headerFields: HTTPFields([field]))
        return try await accounts.authenticate(request, body: Data(), in: TestServer.container)
    }

    @Test("sign users in, for two weeks")
    func signIn() async throws {
        let accounts = accounts
        let user = try await accounts.addUser("ann", roles: ["Editor"])
        let (first, second) = (try await accounts.signIn("ann"), try await accounts.signIn("ann"))
        #expect(first != second)
        for token in [first, second] {
            let account = try await authenticate(token, by: accounts).account
            #expect(account == Account(userRecordName: user.userRecordName, roles: ["Editor"]))
        }
        clock.advance(by: AccountStore.sessionTime - 1)
        #expect(try await authenticate(first, by: accounts).account != nil)
        clock.advance(by: 2)
        await #expect(throws: AuthenticationError.expired("The sign-in has expired. Sign in again.")) {
            try await authenticate(first, by: accounts)
        }
        // The next sign-in removes those that have expired.
        _ = try await accounts.signIn("ann")
        await #expect(throws: AuthenticationError.failed("The token is not valid.")) {
            try await authenticate(first, by: accounts)
        }
    }

    @Test("change addresses and roles, by which users are found and judged")
    func changes() async throws {
        let (accounts, other) = (accounts, accounts)
        let ann = try await accounts.addUser("ann", email: "a@example.com", roles: ["Editor"])
        try await accounts.addUser("ben", email: "b@example.com")
        let token = try await accounts.signIn("ann")
        #expect(try await authenticate(token, by: other).account?.roles == ["Editor"])
        try await accounts.changeUser("ann") {
            ($0.email, $0.roles) = ("A2@example.com", ["Reader", "Author", "Reader"])
        }
        clock.advance(by: AccountStore.memory)
        #expect(try await authenticate(token, by: other).account?.roles == ["Author", "Reader"])
        func found(_ address: String) async throws -> String? {
            try await other.users([.emailAddress(address)], in: TestServer.container)[0]?.userRecordName
        }
        #expect(try await found("a2@example.com") == ann.userRecordName)
        #expect(try await found("a@example.com") == nil)
        for change: @Sendable (inout AccountStore.User) -> Void in [
            { $0.email = "B@example.com" }, { $0.roles = ["a b"] },
        ] {
            await expectCode(.invalidArguments) { try await accounts.changeUser("ann", change) }
        }
        await expectCode(.unknownItem) { try await accounts.changeUser("anm") { $0.roles = [] } }
        // The same address in other letters is the user's own.
        try await accounts.changeUser("ann") { $0.email = "a2@Example.com" }
        #expect(try await found("a2@example.com") == ann.userRecordName)
        try await accounts.changeUser("ann") { $0.email = nil }
        #expect(try await found("a2@example.com") == nil)
    }

    @Test("refuse tokens of disabled users, also in another process after ten seconds")
    func disabling() async throws {
        let (accounts, other) = (accounts, accounts)
        try await accounts.addUser("ann")
        let token = try await accounts.signIn("ann")
        #expect(try await authenticate(token, by: other).account != nil)
        try await accounts.setDisabled(true, user: "ann")
        await #expect(throws: AuthenticationError.self) { try await authenticate(token, by: accounts) }
        clock.advance(by: AccountStore.memory)
        await #expect(throws: AuthenticationError.self) { try await authenticate(token, by: other) }
        try await accounts.setDisabled(false, user: "ann")
        #expect(try await authenticate(token, by: accounts).account != nil)
        try await accounts.signOut("ann")
        await #expect(throws: AuthenticationError.self) { try await authenticate(token, by: accounts) }
        await expectCode(.unknownItem) { try await accounts.signOut("anm") }
    }

    @Test("have no token in the store")
    func hashes() async throws {
        let accounts = accounts
        try await accounts.addUser("ann")
        let tokens = [try await accounts.signIn("ann"), try await accounts.addToken("website")]
        let texts = try await backend.read(.public) { snapshot in
            try await snapshot.entries(in: StorageKey.all("account"), limit: .max)
                .map { $0.key.text + $0.text }
        }
        #expect(texts.count == 5)
        for token in tokens { #expect(!texts.joined().contains(token)) }
    }

    @Test("refuse malformed and taken names, addresses and roles")
    func names() async throws {
        let accounts = accounts
        try await accounts.addUser("ann", email: "ann@example.com")
        for name in ["ann", "", "a b", "a/b", "ä", String(repeating: "a", count: 65)] {
            await expectCode(.invalidArguments) { try await accounts.addUser(name) }
        }
        await expectCode(.invalidArguments) { try await accounts.addUser("ben", email: "ANN@example.com") }
        await expectCode(.invalidArguments) { try await accounts.addUser("ben", roles: [""]) }
        await expectCode(.unknownItem) { try await accounts.signIn("nobody") }
        #expect(try await accounts.users().map(\.name) == ["ann"])
    }

    @Test("find users by name and address")
    func directory() async throws {
        let accounts = accounts
        let ann = try await accounts.addUser("ann", email: "ann@example.com")
        let found = try await accounts.users(
            [
                .emailAddress("Ann@example.com"), .userRecordName(ann.userRecordName), .phoneNumber("1"),
                .userRecordName("_x"),
            ],
            in: TestServer.container)
        #expect(found.map { $0?.userRecordName } == [ann.userRecordName, ann.userRecordName, nil, nil])
    }

    @Test("check an API token if a request has one")
    func apiTokens() async throws {
        let accounts = accounts
        let token = try await accounts.addToken("website")
        await expectCode(.invalidArguments) { try await accounts.addToken("website") }
        func authenticate(_ query: String) async throws -> Account? {
            let request = HTTPRequest(method: .post, path: "/", query: query)
            return try await accounts.authenticate(request, body: Data(), in: TestServer.container).account
        }
        #expect(try await authenticate("ckAPIToken=\(token)") == nil)
        await #expect(throws: AuthenticationError.self) { try await authenticate("ckAPIToken=wrong") }
        try await accounts.addUser("ann")
        let web = try await accounts.signIn("ann")
        #expect(try await authenticate("ckAPIToken=\(token)&ckWebAuthToken=\(web)") != nil)
        await #expect(throws: AuthenticationError.self) {
            try await authenticate("ckAPIToken=\(token)&ckWebAuthToken=\(token)")
        }
        #expect(try await accounts.tokens().map(\.name) == ["website"])
        try await accounts.revokeToken("website")
        await #expect(throws: AuthenticationError.self) { try await authenticate("ckAPIToken=\(token)") }
    }

    @Test("have one secret for all servers of a store")
    func secret() async throws {
        let sealed = try await accounts.secret().seal("text", for: ["a"])
        #expect(try await accounts.secret().open(sealed, for: ["a"]) == "text")
        #expect(try await accounts.secret().open(sealed, for: ["b"]) == nil)
        #expect(try await AccountStore(MemoryBackend()).secret().open(sealed, for: ["a"]) == nil)
    }
}
