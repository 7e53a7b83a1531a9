import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Hostile texts in the dashboard")
struct HostileTextTests {
    private static let markup = "<img src=x onerror=alert(1)>\"'></textarea></script><script>alert(2)</script>&lt;"

    @Test("Texts cannot become markup")
    func escaping() {
        let text = "<b a=\"1\" c='2'>&amp;"
        let html: HTML = "<p title=\"\(text)\">\(text)\(HTML.empty)\(["<i>x</i>", "y"] as [HTML])\(7)</p>"
        let escaped = "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped)<i>x</i>y7</p>")
    }

    @Test("Characters that a page hides, or that turn the text around, are shown")
    func hidden() {
        #expect("a\u{0}b\u{202E}c\u{200B}\u{7F}\n".shown() == "a\\u{0}b\\u{202E}c\\u{200B}\\u{7F}\n")
        #expect(String(repeating: "x", count: 300).shown(10) == "xxxxxxxxxx… (290 more)")
    }

    @Test(
        "Emoji of several characters and joined scripts stay, and a joiner elsewhere is shown",
        arguments: [
            ("\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", nil), ("\u{1F469}\u{1F3FD}\u{200D}\u{1F680}", nil),
            ("\u{2764}\u{FE0F}\u{200D}\u{1F525}", nil), ("\u{0645}\u{06CC}\u{200C}\u{062E}\u{0648}", nil),
            ("\u{0915}\u{094D}\u{200D}\u{0937}", nil), ("a\u{200D}b", "a\\u{200D}b"),
            ("\u{200D}\u{1F469}\u{200D}", "\\u{200D}\u{1F469}\\u{200D}"), ("\u{06CC}\u{200C}", "\u{06CC}\\u{200C}"),
            ("\u{1F469}\u{200D}\u{200D}\u{1F469}", "\u{1F469}\\u{200D}\\u{200D}\u{1F469}"),
            ("\u{05D0}\u{200F}\u{05D1}\u{200E}", "\u{05D0}\\u{200F}\u{05D1}\\u{200E}"),
        ] as [(String, String?)])
    func joiners(text: String, shown: String?) {
        #expect(text.shown() == shown ?? text)
    }

    @Test("Values, names of records and of users, and what was typed, are texts on every page")
    func pages() async throws {
        let visitor = try await DashboardVisitor()
        let name = "a<b>&\"'c"
        let zone = try await visitor.database.save(RecordZone(zoneName: "z<i>\"&"))
        var record = Record(recordType: "Coins", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
        record["name"] = Self.markup
        record["list"] = [Self.markup, "b"]
        record["long"] = String(repeating: "𝒳", count: 10_000)
        record["control"] = "a\u{0}\u{1B}[31m\u{202E}b"
        record["data"] = Data(repeating: 1, count: 5_000)
        record["self"] = Reference(recordID: record.recordID, action: .none)
        try await visitor.database.save(record)
        try await visitor.database.save(
            QuerySubscription(
                recordType: "Coins", filter: .field("name") == Self.markup, subscriptionID: "s<u>",
                options: .firesOnRecordCreation))
        let id: KeyValuePairs = ["zone": zone.zoneID.zoneName, "name": name]
        let pages: [(String, KeyValuePairs<String, String>, Int)] = [
            ("", [:], 200), ("zones", [:], 200), ("zones", ["zone": "z<i>\"&", "delete": "1"], 200),
            ("records", ["type": "Coins"], 200),
            ("records", ["type": "Coins", "filter": "name == '<img src=x onerror=alert(1)>'"], 200),
            ("records", ["type": "Coins", "filter": Self.markup], 400),
            ("records", ["type": "Coins", "sort": Self.markup], 400),
            ("records", ["type": "Coins", "columns": Self.markup], 400), ("records", ["type": Self.markup], 404),
            ("record", id, 200), ("delete", id, 200), ("record", ["name": Self.markup], 404),
            ("new", ["type": "Coins"], 200),
            ("changes", ["zone": "z<i>\"&"], 200), ("schema", [:], 200), ("subscriptions", [:], 200),
            ("shares", [:], 200),
            ("type", ["type": "Coins"], 200),
        ]
        for (page, items, status) in pages {
            let text = try await visitor.page(page, items, status: status)
            for evil in [
                "<img src=x", "<script>alert", "</textarea></script>", "<i>\"", "<b>&\"", "<u>", "\u{0}", "\u{1B}",
                "\u{202E}",
            ] {
                #expect(!text.contains(evil), "\(page) \(items)")
            }
            #expect(text.utf8.count < 120_000, "\(page)")
        }
        // A save without a change keeps every character.
        let text = try await visitor.page("record", id)
        let tag = try #require(text.hidden("tag"))
        _ = try await visitor.submit("record", id, ["tag": tag, "new.key": "more", "new.value": "1"])
        let saved = try await visitor.database.record(for: record.recordID)
        for key in ["name", "control", "long"] { #expect(saved[key] as? String == record[key] as? String) }
        #expect(saved["more"] as? Int == 1)
    }

    @Test("Names of people, files and programs are texts on the other pages too")
    func names() async throws {
        let visitor = try await DashboardVisitor()
        var record = Record(recordType: "Coins", recordID: "penny")
        record["name"] = Self.markup
        record["photo"] = Asset(data: Data("old".utf8))
        try await visitor.database.save(record)
        let zone = try await visitor.database.save(RecordZone(zoneName: "z<i>\"&"))
        var share = Share(recordZoneID: zone.zoneID)
        share[Share.SystemFieldKey.title] = Self.markup
        _ = try await visitor.database.modifyRecords(saving: [share.record], deleting: [])
        var texts: [String] = []
        let filter = "name == '<img src=x onerror=alert(1)>'"
        for (page, items) in [
            ("records", ["type": "Coins", "group": "name", "plan": "1", "count": "1", "filter": filter]),
            ("records", ["type": "Coins", "filter": "name == '\(String(repeating: "<b>", count: 3_000))'"]),
            ("shares", [:]), ("health", [:]), ("roles", [:]), ("users", [:]), ("keys", [:]),
            ("import", ["type": "<u>"]),
        ] as [(String, KeyValuePairs<String, String>)] { texts.append(try await visitor.page(page, items)) }
        // A file, its columns and its rows.
        texts.append(
            try await visitor.upload(
                "import", [:], ["type": "Coins"],
                files: [("file", "<i>.csv", "recordName,name\n<u>x</u>,\(Self.markup.prefix(28))\n")], status: 200))
        texts.append(
            try await visitor.upload(
                "import", [:], ["type": "Coins"], files: [("file", "<i>.csv", "recordName,<b>&\"\nx,y\n")],
                status: 400))
        // The typed texts, in a conflict and after a mistake.
        for (tag, status) in [("x", 409), (try await visitor.database.record(for: "penny").recordChangeTag ?? "", 400)]
        {
            texts.append(
                try await visitor.upload(
                    "record", ["name": "penny"],
                    ["tag": tag, "was.name": "", "now.name": Self.markup, "new.key": "<u>", "new.value": "<i>\""],
                    files: [("file.photo", "<img src=x>\u{202E}\"", "a")], status: status))
        }
        _ = try await visitor.submit("users", [:], ["do": "add", "name": "ben", "email": "<u>@example.com"])
        texts.append(try await visitor.page("users"))
        texts.append(try await visitor.submit("users", [:], ["do": "add", "name": "<u>"], status: 400))
        texts.append(try await visitor.submit("keys", [:], ["do": "revoke-key", "name": "<u>"], status: 400))
        for path in [
            "/dashboard/%3Cimg%20src=x%3E", "\(DashboardVisitor.place)~%3Cimg%20src=x%3E/zones", "/dashboard/requests",
        ] {
            let response = try await visitor.send(.get, path)
            texts.append(String(decoding: try await response.body.collect(upTo: 1 << 22), as: UTF8.self))
        }
        for (position, text) in texts.enumerated() {
            for evil in ["<img src=x", "<script>alert", "<i>", "<b>&\"", "<b><b>", "<u>", "\u{202E}"] {
                #expect(!text.contains(evil), "text \(position) has \(evil)")
            }
        }
        #expect(texts.contains { $0.contains("&lt;img src=x") } && texts.last?.contains("%3Cimg") == true)
    }

    @Test("Forms that are too large, of another type or malformed are refused")
    func forms() async throws {
        #expect(throws: (any Error).self) { try HTTPForm(Data("a=%".utf8)) }
        #expect(throws: (any Error).self) { try HTTPForm(Data("a=%FF".utf8)) }
        #expect(throws: (any Error).self) { try HTTPForm(Data(String(repeating: "a=1&", count: 5_000).utf8)) }
        let form = try HTTPForm(Data("a=1&a=2&b=x+y%2B%0D%0Az&c&=d&now.k=v".utf8))
        #expect(form["a"] == "1" && form["b"] == "x y+\nz" && form["c"] == "" && form["none"] == "")
        #expect(form.fields(after: "now.") == ["k": "v"])
        let visitor = try await DashboardVisitor()
        let large = try await visitor.send(.post, DashboardVisitor.place, body: String(repeating: "a", count: 5 << 20))
        #expect(large.status == .contentTooLarge)
    }
}
