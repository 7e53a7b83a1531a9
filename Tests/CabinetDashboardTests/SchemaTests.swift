import Cabinet
import CabinetServer
import CabinetTesting
import Testing

@testable import CabinetDashboard

@Suite("Schemas in the dashboard")
struct SchemaTests {
    private static let text = "DEFINE SCHEMA\nRECORD TYPE Coins (name STRING QUERYABLE, year INT64);"

    @Test("A schema is compared, then applied; nothing changes before")
    func application() async throws {
        let visitor = try await DashboardVisitor()
        let page = try await visitor.submit("schema", [:], ["text": Self.text], status: 200)
        #expect(page.contains("What changes") && page.contains("Coins"))
        #expect(try await visitor.database.schema().recordTypes.isEmpty)
        _ = try await visitor.applySchema(Self.text)
        #expect(try await visitor.database.schema()["Coins"]["name"]?.options == .queryable)
        let mistake = try await visitor.submit("schema", [:], ["text": "DEFINE SCHEMA RECORD TYPE <b> ("], status: 400)
        #expect(mistake.contains("role=\"alert\"") && !mistake.contains("TYPE <b>"))
    }

    @Test("A text that was not compared, or whose difference has changed, is compared instead of applied")
    func comparison() async throws {
        let visitor = try await DashboardVisitor()
        let page = try await visitor.submit("schema", [:], ["text": Self.text], status: 200)
        let compared = try #require(page.hidden("compared"))
        let other = Self.text.replacing("year INT64", with: "found TIMESTAMP")
        for checksum in [compared, "", "x"] {
            let answer = try await visitor.submit(
                "schema", [:], ["text": other, "apply": "1", "compared": checksum], status: 409)
            #expect(answer.contains("Nothing is applied yet.") && answer.contains("found") && !answer.contains("year"))
        }
        #expect(try await visitor.database.schema() == Schema())
        // Another client changes the database between the comparison and the button.
        try await visitor.database.save(Record(recordType: "Coins"))
        let fields: KeyValuePairs = ["text": Self.text, "apply": "1", "compared": compared]
        let changed = try await visitor.submit("schema", [:], fields, status: 409)
        _ = try await visitor.submit(
            "schema", [:], ["text": Self.text, "apply": "1", "compared": changed.hidden("compared") ?? ""])
        #expect(try await visitor.database.schema()["Coins"]["year"]?.type == .int64)
    }

    @Test("Fields are added, renamed and dropped, after the number of lost values was shown")
    func fields() async throws {
        let visitor = try await DashboardVisitor()
        var record = Record(recordType: "Coins", recordID: "penny")
        record["name"] = "Penny"
        try await visitor.database.save(record)
        _ = try await visitor.submit("type", ["type": "Coins"], ["field": "year", "definition": "INT64 SORTABLE"])
        #expect(try await visitor.database.schema()["Coins"]["year"]?.options == .sortable)
        _ = try await visitor.submit("type", ["type": "Coins"], ["part": "name", "rename": "title"])
        #expect(try await visitor.database.record(for: "penny")["title"] as? String == "Penny")
        // A text in the box beside the button is not the new name.
        let question = try await visitor.submit(
            "type", ["type": "Coins"], ["part": "title", "rename": "other", "drop": "1"], status: 200)
        #expect(question.contains("1 value goes with it"))
        #expect(try await visitor.database.record(for: "penny")["title"] as? String == "Penny")
        _ = try await visitor.submit("type", ["type": "Coins"], ["part": "title", "drop": "1", "losing": "1"])
        #expect(try await visitor.database.schema()["Coins"]["title"] == nil)
        let mistake = try await visitor.submit(
            "type", ["type": "Coins"], ["field": "x", "definition": "NONSENSE"], status: 400)
        #expect(mistake.contains("role=\"alert\""))
    }

    @Test(
        "A field is added by the text of one field alone, and its mistakes name no position of another text",
        arguments: [
            ("x", "STRING); RECORD TYPE Y (a STRING"), ("x", "STRING, y INT64"), ("x STRING, y", "INT64"),
            ("x\" STRING, \"y", "INT64"), ("x", "STRING, GRANT READ TO \"_world\""), ("x", "STRING, INDEX (x, name)"),
            ("x", "STRING); CREATE ROLE Editor; RECORD TYPE Y ("), ("x\" STRING --", "INT64"), ("x", "NONSENSE"),
            ("x", "STRING /*"), ("x", ""),
        ])
    func oneField(field: String, definition: String) async throws {
        let visitor = try await DashboardVisitor()
        _ = try await visitor.applySchema(Self.text)
        let schema = try await visitor.database.schema()
        let page = try await visitor.submit(
            "type", ["type": "Coins"], ["field": field, "definition": definition], status: 400)
        #expect(try await visitor.database.schema() == schema)
        let alert = try #require(page.firstMatch(of: #/role="alert">([^<]*)</#)?.1)
        #expect(!alert.isEmpty && alert.firstMatch(of: #/^\d+:\d+/#) == nil, "\(alert)")
        let start = field.prefix { $0 != "\"" }
        #expect(page.contains("name=\"field\" value=\"\(start)"), "The typed text stays.")
    }

    @Test("A field may have a reserved word as its name, and a unique key")
    func reservedNames() async throws {
        let visitor = try await DashboardVisitor()
        _ = try await visitor.applySchema(Self.text)
        for (field, definition) in [("grant", "STRING UNIQUE"), ("\"record\"", "LIST<INT64> -- numbers")] {
            _ = try await visitor.submit("type", ["type": "Coins"], ["field": field, "definition": definition])
        }
        let type = try await visitor.database.schema()["Coins"]
        #expect(type["grant"]?.type == .string && type.uniqueKeys == [["grant"]])
        #expect(type["record"]?.type == .list(of: .int64))
    }

    @Test("A missing field is neither renamed nor dropped, also if the new name exists")
    func missingFields() async throws {
        let visitor = try await DashboardVisitor()
        _ = try await visitor.applySchema(Self.text)
        for change in [["rename": "name"], ["rename": "other"], ["drop": "1"]] {
            let (key, value) = try #require(change.first)
            let page = try await visitor.submit(
                "type", ["type": "Coins"], ["part": "ghost", key: value], status: 400)
            #expect(page.contains("Coins has no field &#39;ghost&#39;."), "\(change)")
        }
        #expect(try await visitor.database.schema()["Coins"].fields.keys.sorted() == ["name", "year"])
    }

    @Test("A zone that cannot be added stays on the form, with the reason")
    func zoneMistakes() async throws {
        let visitor = try await DashboardVisitor()
        let page = try await visitor.submit("zones", [:], ["add": "_<Travel>"], status: 400)
        #expect(page.contains("role=\"alert\"") && page.contains("name=\"add\" value=\"_&lt;Travel&gt;\""))
        #expect(page.contains("<h1>Zones</h1>") && !page.contains("CabinetError"))
    }

    @Test("A schema is deployed to another environment, unless data would be lost")
    func deployment() async throws {
        let visitor = try await DashboardVisitor(production: true)
        _ = try await visitor.applySchema(Self.text)
        let question = try await visitor.submit("schema", [:], ["deploy": "production"], status: 200)
        #expect(question.contains("Deploy to production?") && question.contains("Coins"))
        let address = try await visitor.submit("schema", [:], ["deploy": "production", "apply": "1"])
        #expect(address == "/dashboard/com.example.coins/production/private/schema")
        let target = try Container(identifier: "com.example.coins", service: visitor.dashboard.stores[1].service)
        #expect(try await target.privateDatabase.schema()["Coins"]["year"]?.type == .int64)
        _ = try await visitor.submit("type", ["type": "Coins"], ["part": "year", "drop": "1", "losing": "0"])
        let refusal = try await visitor.submit("schema", [:], ["deploy": "production"], status: 200)
        #expect(refusal.contains("Data would be lost"))
        _ = try await visitor.submit("schema", [:], ["deploy": "elsewhere"], status: 404)
    }

    @Test("A change that takes long goes on, its page shows it, and a failure of it is said")
    func longChanges() async throws {
        var visitor = try await DashboardVisitor()
        visitor.dashboard.schemaWaitLimit = .milliseconds(50)
        visitor.backend.inject(.delay(.seconds(3_600)), on: .write)
        _ = try await visitor.applySchema(Self.text)
        var page = try await visitor.page("schema")
        #expect(page.contains("<progress") && page.contains("Coins"))
        // One change of a schema at a time.
        let refusal = try await visitor.applySchema(Self.text, status: 400)
        #expect(refusal.contains("under way"))
        // Another dashboard, whose changes end.
        visitor = try await DashboardVisitor()
        visitor.dashboard.schemaWaitLimit = .milliseconds(50)
        visitor.backend.inject(.delay(.milliseconds(500)), on: .write)
        _ = try await visitor.applySchema(Self.text)
        for _ in 0..<400 where !page.contains("done in ") {
            try await Task.sleep(for: .milliseconds(50))
            page = try await visitor.page("schema")
        }
        #expect(page.contains("done in "))
        #expect(try await visitor.page("type", ["type": "Coins"]).contains("done in "))
        visitor.backend.inject(.delay(.milliseconds(500)), on: .write)
        visitor.backend.inject(.failure(.quotaExceeded), on: .write)
        _ = try await visitor.submit("type", ["type": "Coins"], ["field": "note", "definition": "STRING"])
        for _ in 0..<400 where !page.contains("failed after") {
            try await Task.sleep(for: .milliseconds(50))
            page = try await visitor.page("schema")
        }
        #expect(page.contains("failed after"))
        #expect(try await visitor.database.schema()["Coins"]["note"] == nil)
    }

    @Test("Zones are added and deleted, users are acted as, and requests are listed")
    func zonesAndUsers() async throws {
        let visitor = try await DashboardVisitor()
        _ = try await visitor.submit("zones", [:], ["add": "Travel"])
        #expect(try await visitor.page("zones").contains("Travel"))
        let id = RecordID(recordName: "rome", zoneID: RecordZone.ID(zoneName: "Travel"))
        try await visitor.database.save(Record(recordType: "Trips", recordID: id))
        let question = try await visitor.page("zones", ["zone": "Travel", "delete": "1"])
        #expect(question.contains("Delete the zone Travel?") && question.contains("1 record goes with it."))
        _ = try await visitor.submit("zones", [:], ["delete": "Travel"])
        #expect(try await !visitor.page("zones").contains("Travel"))

        let path = "/dashboard/com.example.coins/development/private~_anna/zones"
        let response = try await visitor.send(.get, path)
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(text.contains("You act as <strong>_anna</strong>") && text.contains("private~_anna/schema"))
        let act = "/dashboard/act?container=com.example.coins&environment=development&user=_anna"
        let way = try await visitor.send(.get, act).headerFields[.location]
        #expect(way == "/dashboard/com.example.coins/development/private~_anna")
        let log = try await visitor.send(.get, "/dashboard/requests")
        let requests = String(decoding: try await log.body.collect(upTo: 1 << 22), as: UTF8.self)
        #expect(requests.contains("private/<wbr>zones<") && requests.contains(">_anna</span></td>"))
        #expect(!requests.contains("code="))
    }
}
