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
            ("records", ["type": "Coins", "columns": Self.markup], 200), ("records", ["type": Self.markup], 404),
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
