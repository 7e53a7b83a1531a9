import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("Notifications of CloudKit's dialect")
struct CourierTests {
    private let backend = MemoryBackend()
    private let accounts: AccountStore
    private let service: LocalDatabaseService
    private let server: RecordServer
    private let container: Container

    init() async throws {
        accounts = AccountStore(backend)
        let user = try await accounts.addUser("ann")
        service = try LocalDatabaseService(backend: backend)
        container = try Container(
            identifier: TestServer.container.identifier, service: service,
            account: Account(userRecordName: user.userRecordName))
        server = Self.server(service, accounts)
    }

    private static func server(_ service: LocalDatabaseService, _ accounts: AccountStore) -> RecordServer {
        var configuration = RecordServer.Configuration()
        (configuration.couriers, configuration.pollTime) = (accounts, .milliseconds(300))
        return RecordServer([TestServer.container: service], authenticator: accounts, configuration: configuration)
    }

    private func send(_ request: HTTPRequest, by server: RecordServer? = nil) async throws -> (Int, JSONNode?) {
        let response = try await (server ?? self.server).handler(request)
        let body = try await response.body.collect(upTo: 100_000)
        return (response.status.code, try? JSONText(Array(body)).root)
    }

    private func poll(_ url: String, by server: RecordServer? = nil) async throws -> (status: Int, json: JSONNode?) {
        let path = try #require(url.firstMatch(of: #/\/courier\/.*/#)).output
        return try await send(
            HTTPRequest(method: .get, target: String(path), headerFields: HTTPFields(), remoteAddress: "203.0.113.7"),
            by: server)
    }

    private func makeCourier() async throws -> String {
        let token = try await accounts.signIn("ann")
        let route = CloudKitRoute(.tokensCreate, in: TestServer.container, scope: .private)
        let (status, json) = try await send(
            HTTPRequest(
                method: .post, target: "\(route.target.description)?ckWebAuthToken=\(token)",
                headerFields: HTTPFields(),
                body: HTTPBody(#"{"apnsEnvironment":"development"}"#), remoteAddress: "203.0.113.7"))
        #expect(status == 200)
        return try #require(try json?["webcourierURL"]?.string())
    }

    @Test("come one by one, once each, also from another server, and then not")
    func order() async throws {
        let database = container.privateDatabase
        try await database.save(
            QuerySubscription(
                recordType: "Notes", filter: .constant(true), subscriptionID: "s", options: [.firesOnRecordCreation]))
        try await database.save(Record("Notes", "before", title: "a"))
        let url = try await makeCourier()
        #expect(try await poll(url).json == nil)
        try await database.save([Record("Notes", "n1", title: "a"), Record("Notes", "n2", title: "b")])
        let other = Self.server(try LocalDatabaseService(backend: backend), AccountStore(backend))
        var names: [String] = []
        for server in [server, other] {
            let (status, json) = try await poll(url, by: server)
            #expect(status == 200)
            let part = try #require(json?["ck"])
            let change = try #require(part["qry"])
            names.append(try change.required("rid").string())
            #expect(try change.required("sid").string() == "s")
            #expect(try change.required("fo").int64() == 1)
            #expect(try change.required("dbs").int64() == 2)
            #expect(try change.required("zoid").string() == part.required("ckuserid").string())
            #expect(try part.required("cid").string() == TestServer.container.identifier)
        }
        #expect(names.sorted() == ["n1", "n2"])
        let (status, json) = try await poll(url)
        #expect(status == 200)
        #expect(json == nil)
    }

    @Test("have the ID of their change, in all subscriptions and for all couriers of a user")
    func identity() async throws {
        let database = container.privateDatabase
        for id in ["a", "b"] {
            try await database.save(
                QuerySubscription(
                    recordType: "Notes", filter: .constant(true), subscriptionID: id,
                    options: [.firesOnRecordCreation, .firesOnRecordUpdate]))
        }
        let urls = [try await makeCourier(), try await makeCourier()]
        var note = try await database.save(Record("Notes", "n1", title: "a"))
        note["title"] = "b"
        try await database.save([note, Record("Notes", "n2", title: "c")])
        var changes: [String: Set<String>] = [:]
        for url in urls {
            for _ in 0..<6 {
                let part = try #require(try await poll(url).json?["ck"])
                let change = try #require(part["qry"])
                let name = "\(try change.required("rid").string()) \(try change.required("fo").int64())"
                let id = try part.required("nid").string()
                #expect(UUID(uuidString: id)?.uuidString.lowercased() == id)
                changes[name, default: []].insert(id)
            }
        }
        #expect(changes.keys.sorted() == ["n1 1", "n1 2", "n2 1"])
        #expect(changes.values.allSatisfy { $0.count == 1 })
        #expect(Set(changes.values.flatMap(\.self)).count == 3)
    }

    @Test("wake a poll that waits, and reach one of two polls")
    func waiting() async throws {
        let database = container.privateDatabase
        try await database.save(DatabaseSubscription(subscriptionID: "d"))
        let url = try await makeCourier()
        var configuration = RecordServer.Configuration()
        (configuration.couriers, configuration.pollTime) = (accounts, .seconds(3))
        let server = RecordServer(
            [TestServer.container: service], authenticator: accounts, configuration: configuration)
        async let polls = [poll(url, by: server), poll(url, by: server)]
        try await Task.sleep(for: .milliseconds(100))
        try await database.save(Record("Notes", "n1", title: "a"))
        let found = try await polls.compactMap(\.json)
        #expect(found.count == 1)
        #expect(try found.first?.required("ck").required("met").required("sid").string() == "d")
    }

    @Test("end after two weeks without a poll, and after a day for a user without an account")
    func expiration() async throws {
        let clock = TestClock()
        let accounts = AccountStore(MemoryBackend(), now: clock.now)
        let user = try await accounts.addUser("ann")
        let (day, container) = (86_400.0, TestServer.container)
        let position = try await self.container.fetchNotifications(since: nil, includingOwnChanges: true).token
        func courier(of name: String) -> Courier {
            Courier(userRecordName: name, position: position, date: clock.now())
        }
        let own = try await accounts.addCourier(courier(of: user.userRecordName), in: container)
        let foreign = try await accounts.addCourier(courier(of: "_of_a_provider"), in: container)
        #expect(try await accounts.courier(foreign, in: container) != nil)
        clock.advance(by: day + 1)
        #expect(try await accounts.courier(foreign, in: container) == nil)
        let found = try #require(try await accounts.courier(own, in: container))
        var polled = found
        polled.date = clock.now()
        #expect(try await accounts.replace(found, by: polled, token: own, in: container))
        clock.advance(by: 13.5 * day)
        #expect(try await accounts.courier(own, in: container) == polled)
        clock.advance(by: day)
        #expect(try await accounts.courier(own, in: container) == nil)
        // The next one removes those that have expired.
        _ = try await accounts.addCourier(courier(of: user.userRecordName), in: container)
        #expect(try await accounts.backend.read(.public) { try await $0.couriers().count } == 1)
        try await accounts.setDisabled(true, user: "ann")
        #expect(try await accounts.courier(own, in: container) == nil)
    }

    @Test("need no registration of a token of this server, and refuse any other")
    func registration() async throws {
        let url = try await makeCourier()
        let own = String(try #require(url.split(separator: "/").last))
        try await accounts.addUser("ben")
        for (name, token, status) in [
            ("ann", own, 200), ("ann", String(repeating: "a", count: 43), 400), ("ben", own, 400),
        ] {
            let route = CloudKitRoute(.tokensRegister, in: TestServer.container, scope: .private)
            let target = "\(route.target.description)?ckWebAuthToken=\(try await accounts.signIn(name))"
            let json = #"{"apnsEnvironment":"development","apnsToken":"\#(token)"}"#
            let answer = try await send(
                HTTPRequest(
                    method: .post, target: target, headerFields: HTTPFields(), body: HTTPBody(json),
                    remoteAddress: "203.0.113.7"))
            #expect(answer.0 == status, "\(name)")
        }
    }

    @Test("end when the user's sign-ins end")
    func signOut() async throws {
        let url = try await makeCourier()
        #expect(try await poll(url).status == 200)
        try await accounts.signOut("ann")
        #expect(try await poll(url).status == 404)
    }

    /// A store in which another server's poll of the same token is always faster.
    private struct BusyStore: CourierStore {
        let base: AccountStore

        func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String {
            try await base.addCourier(courier, in: container)
        }

        func courier(_ token: String, in container: WireContainer) async throws -> Courier? {
            try await base.courier(token, in: container)
        }

        func replace(
            _ courier: Courier, by new: Courier, token: String, in container: WireContainer
        ) async throws -> Bool {
            #expect(try await base.replace(courier, by: new, token: token, in: container))
            return try await base.replace(courier, by: new, token: token, in: container)
        }
    }

    @Test("are left to another poll that was faster")
    func race() async throws {
        let database = container.privateDatabase
        try await database.save(
            QuerySubscription(
                recordType: "Notes", filter: .constant(true), subscriptionID: "s", options: [.firesOnRecordCreation]))
        let url = try await makeCourier()
        try await database.save(Record("Notes", "n1", title: "a"))
        var configuration = RecordServer.Configuration()
        (configuration.couriers, configuration.pollTime) = (BusyStore(base: accounts), .milliseconds(300))
        let server = RecordServer(
            [TestServer.container: service], authenticator: accounts, configuration: configuration)
        let (status, json) = try await poll(url, by: server)
        #expect(status == 200)
        #expect(json == nil)
    }

    @Test("are for the holder of the URL alone, while the user is enabled")
    func refusals() async throws {
        let url = try await makeCourier()
        #expect(try await poll(url + "x").status == 404)
        #expect(try await poll(url.replacing("development", with: "production")).status == 404)
        try await accounts.setDisabled(true, user: "ann")
        #expect(try await poll(url).status == 404)
        // A user has a bounded number of them.
        try await accounts.setDisabled(false, user: "ann")
        for _ in 0..<AccountStore.maximumCourierCount { _ = try await makeCourier() }
        #expect(try await poll(url).status == 404)
        let texts = try await backend.read(.public) {
            try await $0.entries(in: StorageKey.all("account", "courier"), limit: .max)
        }
        #expect(texts.count == AccountStore.maximumCourierCount)
        let token = try #require(url.split(separator: "/").last)
        #expect(!texts.contains { $0.text.contains(token) || $0.key.text.contains(token) })
    }
}
