import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

/// Each form of each page, sent by a browser without scripts, with the hidden fields that the page gives.
@Suite("Every form without JavaScript")
struct PlainFormTests {
    /// A person's way through one or two forms, and the effect.
    private struct Way: Sendable {
        let name: String
        /// The page, below the address of the database.
        let page: String
        let steps: [Step]
        /// The work of another client while the page is open.
        var meanwhile: @Sendable (Database) async throws -> Void = { _ in }
        /// Whether the store or the page shows the effect.
        let effect: @Sendable (DashboardVisitor, PlainBrowser) async throws -> Bool

        struct Step: Sendable {
            let button: String
            var typed: [String: String] = [:]
            var files: [String: (name: String, bytes: String)] = [:]
        }
    }

    private static let ways: [Way] = [
        Way(
            name: "a schema is compared and applied", page: "schema",
            steps: [
                .init(
                    button: "Compare",
                    typed: ["text": "DEFINE SCHEMA RECORD TYPE Coins (name STRING QUERYABLE, photo ASSET, old STRING);"]
                ),
                .init(button: "Apply"),
            ]
        ) { visitor, _ in try await visitor.database.schema()["Coins"]["name"]?.options == .queryable },
        Way(
            name: "a field is added", page: "type?type=Coins",
            steps: [.init(button: "Add", typed: ["field": "year", "definition": "INT64 SORTABLE"])]
        ) { visitor, _ in try await visitor.database.schema()["Coins"]["year"]?.type == .int64 },
        Way(
            name: "a field is renamed", page: "type?type=Coins&part=old",
            steps: [.init(button: "Rename", typed: ["rename": "older"])]
        ) { visitor, _ in try await visitor.database.schema()["Coins"]["older"] != nil },
        Way(
            name: "a field is dropped", page: "type?type=Coins&part=older",
            steps: [.init(button: "Drop…"), .init(button: "Drop it")]
        ) { visitor, _ in try await visitor.database.schema()["Coins"]["older"] == nil },
        Way(
            name: "a record is added with a file", page: "new?type=Coins",
            steps: [
                .init(
                    button: "Save",
                    typed: [
                        "name": "penny", "now.name": "A <b> & \"c\"", "now.year": "1900", "new.key": "note",
                        "new.value": "new",
                    ],
                    files: ["file.photo": ("a.png", "bytes")])
            ]
        ) { visitor, _ in
            let record = try await visitor.database.record(for: "penny")
            let bytes = try await (record["photo"] as? Asset)?.data()
            return record["name"] == "A <b> & \"c\"" && record["year"] == 1900 && record["note"] == "new"
                && bytes == Data("bytes".utf8)
        },
        Way(
            name: "a record is changed, and keeps what was not typed", page: "record?name=penny",
            steps: [.init(button: "Save", typed: ["now.year": "1901"])]
        ) { visitor, _ in
            let record = try await visitor.database.record(for: "penny")
            return record["year"] == 1901 && record["name"] == "A <b> & \"c\"" && record["photo"] is Asset
        },
        Way(
            name: "a conflict is decided", page: "record?name=penny",
            steps: [
                .init(button: "Save", typed: ["now.year": "1902"], files: ["file.photo": ("b.png", "others")]),
                .init(button: "Save mine"),
            ],
            meanwhile: { database in
                var record = try await database.record(for: "penny")
                record["name"] = "Penny"
                try await database.save(record)
            }
        ) { visitor, _ in
            let record = try await visitor.database.record(for: "penny")
            let bytes = try await (record["photo"] as? Asset)?.data()
            return record["year"] == 1902 && record["name"] == "Penny" && bytes == Data("others".utf8)
        },
        Way(
            name: "records are imported", page: "import",
            steps: [
                .init(
                    button: "Show", typed: ["type": "Coins"],
                    files: ["file": ("coins.csv", "recordName,name,year\nlira,Lira,1945\ncrown,Crown,1880\n")]),
                .init(button: "Import"),
            ]
        ) { visitor, _ in try await visitor.database.record(for: "lira")["year"] == 1945 },
        Way(
            name: "a filter, an order and columns are typed", page: "records?type=Coins",
            steps: [
                .init(button: "Show", typed: ["filter": "year > 1890", "sort": "-year", "columns": "year"])
            ]
        ) { _, browser in
            browser.text.contains(">lira</a>") && !browser.text.contains(">crown</a>")
                && browser.text.contains("value=\"year &gt; 1890\"") && browser.text.contains("value=\"-year\"")
        },
        Way(
            name: "a condition is added to a filter", page: "records?type=Coins&filter=year%20%3E%201890",
            steps: [.init(button: "Add", typed: ["where": "name", "is": "BEGINSWITH[c]", "value": "li"])]
        ) { _, browser in browser.text.contains(">lira</a>") && !browser.text.contains(">penny</a>") },
        Way(
            name: "records are grouped", page: "records?type=Coins",
            steps: [.init(button: "Group", typed: ["group": "name", "of": "year"])]
        ) { _, browser in browser.text.contains("Groups by name") && browser.text.contains("Sum of year") },
        Way(name: "a zone is added", page: "zones", steps: [.init(button: "Add", typed: ["add": "Travel"])]) {
            visitor, _ in try await visitor.database.allRecordZones().count == 2
        },
        Way(name: "the store is verified", page: "health", steps: [.init(button: "Verify")]) { _, browser in
            browser.text.contains("No damage was found")
        },
        Way(
            name: "a schema is deployed", page: "schema",
            steps: [.init(button: "Deploy to production…"), .init(button: "Deploy to production")]
        ) { visitor, browser in
            let service = visitor.dashboard.stores[1].service
            let target = try Container(identifier: "com.example.coins", service: service).privateDatabase
            return try await target.schema()["Coins"]["year"] != nil && browser.address.contains("/production/")
        },
        Way(
            name: "a user is added", page: "users",
            steps: [.init(button: "Add", typed: ["name": "ann", "email": "ann@example.com", "roles": "Editor"])]
        ) { visitor, _ in try await AccountStore(visitor.backend).users().first?.roles == ["Editor"] },
        Way(name: "a user gets a token", page: "users", steps: [.init(button: "Sign-in token")]) { visitor, browser in
            let token = browser.text.firstMatch(of: #/<code class="break">([^<]{43})<\/code>/#)?.1 ?? ""
            let accounts = AccountStore(visitor.backend)
            return try await accounts.authenticate(bearing: String(token)) == accounts.users().first?.userRecordName
        },
        Way(name: "a user is disabled", page: "users", steps: [.init(button: "Disable")]) { visitor, browser in
            // The page has the other button now.
            try await AccountStore(visitor.backend).users().first?.isDisabled == true
                && browser.text.contains(">Enable</button>")
        },
        Way(name: "a user is enabled", page: "users", steps: [.init(button: "Enable")]) { visitor, _ in
            try await AccountStore(visitor.backend).users().first?.isDisabled == false
        },
        Way(name: "a user is signed out", page: "users", steps: [.init(button: "Sign out", typed: ["name": "ann"])]) {
            _, browser in browser.status == 200 && browser.text.contains("ann@example.com")
        },
        Way(
            name: "a user's roles are changed", page: "users?change=ann",
            steps: [.init(button: "Save", typed: ["roles": "Reader"])]
        ) { visitor, _ in
            let user = try await AccountStore(visitor.backend).users().first
            return user?.roles == ["Reader"] && user?.email == "ann@example.com"
        },
        Way(
            name: "a token is added", page: "keys",
            steps: [.init(button: "Add", typed: ["name": "web", "callback": "https://www.example.com/notes"])]
        ) { visitor, _ in try await AccountStore(visitor.backend).tokens().count == 1 },
        Way(
            name: "a key is added", page: "keys",
            steps: [.init(button: "Add", typed: ["name": "importer", "pem": AccountPageTests.pem])]
        ) { visitor, _ in try await AccountStore(visitor.backend).keys().count == 1 },
        Way(
            name: "a person acts as a user", page: "zones", steps: [.init(button: "Act as", typed: ["user": "_anna"])]
        ) { _, browser in browser.text.contains("You act as <strong>_anna</strong>") },
    ]

    /// The ways that remove something.
    private static let endings: [Way] = [
        Way(name: "a token is revoked", page: "keys?revoke=web&kind=token", steps: [.init(button: "Revoke web")]) {
            visitor, _ in try await AccountStore(visitor.backend).tokens().isEmpty
        },
        Way(name: "a key is revoked", page: "keys?revoke=importer&kind=key", steps: [.init(button: "Revoke importer")])
        {
            visitor, _ in try await AccountStore(visitor.backend).keys().isEmpty
        },
        Way(name: "a record is deleted", page: "delete?name=lira", steps: [.init(button: "Delete lira")]) {
            visitor, _ in
            try await visitor.database.records(for: ["lira"])["lira"].map { (try? $0.get()) == nil } ?? true
        },
        Way(
            name: "a zone is deleted", page: "zones?zone=Travel&delete=1", steps: [.init(button: "Delete Travel")]
        ) { visitor, _ in try await visitor.database.allRecordZones().count == 1 },
        Way(
            name: "a type is renamed", page: "type?type=Coins",
            steps: [.init(button: "Rename", typed: ["rename": "Tokens"])]
        ) { visitor, _ in try await visitor.database.schema().recordTypes["Tokens"] != nil },
        Way(
            name: "a type is dropped", page: "type?type=Tokens",
            steps: [.init(button: "Drop…"), .init(button: "Drop it")]
        ) { visitor, _ in try await visitor.database.schema().recordTypes["Tokens"] == nil },
        Way(name: "a person signs out", page: "zones", steps: [.init(button: "Sign out")]) { _, browser in
            browser.status == 401
        },
    ]

    @Test("Each is sent as the page gives it, and has its effect", .timeLimit(.minutes(5)))
    func ways() async throws {
        let browser = PlainBrowser(try await DashboardVisitor(production: true))
        try await browser.open(browser.visitor.dashboard.makeSignInPath())
        try await browser.press("Open the dashboard")
        for way in Self.ways { try await go(way, in: browser) }
        // Pages that no way passes have no other forms.
        try await browser.lookAround(from: "/dashboard")
        for way in Self.endings { try await go(way, in: browser) }
        let unsent = browser.seen.subtracting(browser.sent)
        #expect(unsent.isEmpty, "Forms that no way sends: \(unsent.sorted())")
        #expect(browser.sent.count >= Self.ways.count)
    }

    private func go(_ way: Way, in browser: PlainBrowser) async throws {
        try await browser.open("\(DashboardVisitor.place)/\(way.page)")
        try await way.meanwhile(browser.visitor.database)
        for step in way.steps { try await browser.press(step.button, step.typed, files: step.files) }
        #expect(try await way.effect(browser.visitor, browser), "\(way.name): \(browser.address) \(browser.status)")
    }

    @Test("No form is accepted without its secret, or with that of another session")
    func secrets() async throws {
        let visitor = try await DashboardVisitor()
        let browser = PlainBrowser(visitor)
        try await browser.open(visitor.dashboard.makeSignInPath())
        try await browser.press("Open the dashboard")
        try await browser.open("\(DashboardVisitor.place)/zones")
        let form = try #require(PageForm.all(in: browser.text).first { $0.action.hasSuffix("/zones") })
        #expect(form.method == "post" && form.fields.contains { $0.name == "token" && !$0.value.isEmpty })
        // The visitor has another session than the browser.
        let other = try #require(form.fields.first { $0.name == "token" }?.value)
        let response = try await visitor.send(.post, form.action, body: "token=\(other)&add=Travel")
        #expect(response.status == .forbidden)
        #expect(try await visitor.database.allRecordZones().count == 1)
    }
}
