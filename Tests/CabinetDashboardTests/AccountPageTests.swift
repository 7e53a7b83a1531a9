import Cabinet
import CabinetServer
import CabinetWire
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("The pages of users, keys and roles")
struct AccountPageTests {
    /// A public key.
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI9OcT721J5926sL4hcKPSun9nsfh
        gdzA46OYkaN7nyoixxliA1J6+vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==
        -----END PUBLIC KEY-----
        """

    @Test("A user is added, signed in with a token that one page shows, disabled and enabled")
    func users() async throws {
        let visitor = try await DashboardVisitor()
        #expect(try await visitor.page("users").contains("has no users"))
        _ = try await visitor.submit(
            "users", [:], ["do": "add", "name": "ann", "email": "ann@example.com", "roles": "Editor, Author"])
        let accounts = AccountStore(visitor.backend)
        let user = try #require(try await accounts.users().first)
        #expect(user.name == "ann" && user.roles == ["Author", "Editor"])
        let page = try await visitor.submit("users", [:], ["do": "sign-in", "name": "ann"], status: 200)
        let token = try #require(page.firstMatch(of: #/<code class="break">([^<]{43})<\/code>/#)?.1)
        #expect(!(try await visitor.page("users")).contains(token))
        let signedIn = try await accounts.authenticate(bearing: String(token))
        #expect(signedIn == user.userRecordName)
        _ = try await visitor.submit(
            "users", [:], ["do": "change", "name": "ann", "email": "", "roles": "Author,Reader"])
        let changed = try #require(try await accounts.users().first)
        #expect(changed.email == nil && changed.roles == ["Author", "Reader"])
        #expect(try await visitor.page("users", ["change": "ann"]).contains("value=\"Author,Reader\""))
        _ = try await visitor.submit("users", [:], ["do": "disable", "name": "ann"])
        #expect(try await accounts.users().first?.isDisabled == true)
        #expect(try await visitor.page("users").contains("Enable</button>"))
        _ = try await visitor.submit("users", [:], ["do": "enable", "name": "ann"])
        #expect(try await accounts.users().first?.isDisabled == false)
        for fields: KeyValuePairs in [
            ["do": "add", "name": "ann"], ["do": "add", "name": "a b"], ["do": "disable", "name": "x"], ["do": "x"],
            ["do": "change", "name": "ann", "roles": "a b"],
        ] {
            #expect(try await visitor.submit("users", [:], fields, status: 400).contains("role=\"alert\""))
        }
    }

    @Test("Tokens and keys are added and, after a question, revoked")
    func keys() async throws {
        let visitor = try await DashboardVisitor()
        let accounts = AccountStore(visitor.backend)
        let page = try await visitor.submit(
            "keys", [:], ["do": "add-token", "name": "web", "callback": "https://www.example.com/notes"], status: 200)
        let token = try #require(page.firstMatch(of: #/<code class="break">([^<]+)<\/code>/#)?.1)
        let list = try await visitor.page("keys")
        #expect(list.contains("https://www.example.com/notes") && !list.contains(token))
        _ = try await visitor.submit("keys", [:], ["do": "add-key", "name": "importer", "pem": Self.pem])
        let key = try #require(try await accounts.keys().first)
        #expect(try await visitor.page("keys").contains(key.keyID))
        // An address alone asks.
        #expect(
            try await visitor.page("keys", ["revoke": "importer", "kind": "key"]).contains("Revoke the key importer?"))
        #expect(try await accounts.keys().count == 1)
        _ = try await visitor.submit("keys", [:], ["do": "revoke-key", "name": "importer"])
        _ = try await visitor.submit("keys", [:], ["do": "revoke-token", "name": "web"])
        #expect(try await accounts.keys().isEmpty)
        #expect(try await accounts.tokens().isEmpty)
        for fields: KeyValuePairs in [
            ["do": "add-key", "name": "k", "pem": "x"],
            ["do": "add-token", "name": "w", "callback": "javascript:alert(1)"],
            ["do": "revoke-key", "name": "none"],
        ] {
            #expect(try await visitor.submit("keys", [:], fields, status: 400).contains("role=\"alert\""))
        }
    }

    @Test("Secrets are in no list of requests, address or title")
    func secrets() async throws {
        let visitor = try await DashboardVisitor()
        _ = try await visitor.submit("users", [:], ["do": "add", "name": "ann"])
        let page = try await visitor.submit("users", [:], ["do": "sign-in", "name": "ann"], status: 200)
        let token = try #require(page.firstMatch(of: #/<code class="break">([^<]{43})<\/code>/#)?.1)
        #expect(page.ranges(of: String(token)).count == 1)
        let response = try await visitor.send(.get, "/dashboard/requests")
        let requests = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(!requests.contains(token) && requests.contains("/<wbr>users<"))
        // Neither are the values of records that a filter has.
        var coin = Record(recordType: "Coins", recordID: "penny")
        coin["name"] = "Penny"
        try await visitor.database.save(coin)
        _ = try await visitor.page("records", ["type": "Coins", "filter": "name == 'confidential'"])
        let later = try await visitor.send(.get, "/dashboard/requests")
        let texts = String(decoding: try await later.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(texts.contains("/<wbr>records<") && !texts.contains("confidential") && !texts.contains("Coins"))
        let answer = try await visitor.send(.get, DashboardVisitor.address("users"))
        #expect(answer.headerFields[.cacheControl] == "no-store")
    }

    @Test("Users and keys of a store elsewhere are not shown, and neither is anything to a stranger")
    func elsewhere() async throws {
        let visitor = try await DashboardVisitor(storage: false)
        for page in ["users", "keys"] { _ = try await visitor.page(page, status: 404) }
        // The page shows the answers of a server, and names the rest.
        try await visitor.database.save(Record(recordType: "Coins"))
        let health = try await visitor.page("health")
        #expect(health.contains("answers in") && health.contains("cabinet verify") && health.contains(">1</td>"))
        let preview = try await visitor.upload(
            "import", [:], ["type": "Coins"], files: [("file", "a.csv", "recordName,year\npenny,1900\n")], status: 200)
        let report = try await visitor.submit(
            "import", [:], ["confirm": #require(preview.hidden("confirm"))], status: 200)
        #expect(report.contains("Imported 1 record"))
        #expect(try await visitor.database.record(for: "penny")["year"] as? Int == 1900)
        #expect(!(try await visitor.page("")).contains("/users\""))
        let own = try await DashboardVisitor()
        for page in ["users", "keys", "health", "import", "roles"] {
            let response = try await own.send(.get, DashboardVisitor.address(page), cookie: "")
            #expect(response.status == .unauthorized)
            let change = try await own.send(.post, DashboardVisitor.address(page), body: "token=x&do=add&name=eve")
            #expect(change.status == .forbidden)
        }
        #expect(try await AccountStore(own.backend).users().isEmpty)
    }

    @Test("Roles show the grants of each type, also those by default")
    func roles() async throws {
        let visitor = try await DashboardVisitor()
        var schema = Schema(
            recordTypes: ["Coins": Schema.RecordType(), "Posts": Schema.RecordType()], roles: ["Editor"])
        schema["Posts"].grants = ["Editor": [.read, .write]]
        try await visitor.container.publicDatabase.apply(schema)
        let address = DashboardVisitor.address("roles").replacing("/private/", with: "/public/")
        let response = try await visitor.send(.get, address)
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(text.contains("Editor</th>") && text.contains("<td>read, write</td>") && text.contains("by default"))
        #expect(try await visitor.page("roles").contains("belong to its user"))
    }

    @Test("Health shows sizes, and verifies the store on request")
    func health() async throws {
        let visitor = try await DashboardVisitor()
        var coin = Record(recordType: "Coins", recordID: "penny")
        coin["photo"] = Asset(data: Data("12345".utf8))
        try await visitor.database.save(coin)
        #expect(try await visitor.page("health").contains("<td class=\"number\">5</td>"))
        let report = try await visitor.submit("health", [:], [:], status: 200)
        #expect(report.contains("No damage was found."))
    }
}

extension AccountStore {
    /// The user of a token; throws for an unknown token.
    func authenticate(bearing token: String) async throws -> String? {
        var fields = HTTPFields()
        try fields.set(.authorization, to: "Bearer \(token)")
        let request = HTTPRequest(method: .get, path: "/", headerFields: fields)
        let container = WireContainer(identifier: "com.example.coins", environment: .development)
        return try await authenticate(request, body: Data(), in: container).account?.userRecordName
    }
}
