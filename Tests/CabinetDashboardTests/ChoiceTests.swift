import Cabinet
import CabinetServer
import CabinetTools
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("The choice of records: conditions, groups and the order of changes")
struct ChoiceTests {
    private func visitor() async throws -> DashboardVisitor {
        let visitor = try await DashboardVisitor()
        let schema = Schema(recordTypes: [
            "Coins": Schema.RecordType(fields: [
                "name": Schema.Field(.string), "year": Schema.Field(.int64), "tags": Schema.Field(.list(of: .string)),
                "found": Schema.Field(.timestamp), "mint": Schema.Field(.reference),
                "spot": Schema.Field(.location),
            ])
        ])
        try await visitor.database.apply(schema)
        let coins = (0..<6).map { number in
            var coin = Record(recordType: "Coins", recordID: RecordID(recordName: "coin\(number)"))
            coin["name"] = number < 4 ? "it's <b>" : "Penny"
            coin["year"] = 1900 + number
            coin["tags"] = ["old", "\(number)"]
            if number > 0 { coin["mint"] = Reference(recordID: "coin0", action: .none) }
            return coin
        }
        _ = try await visitor.database.modifyRecords(saving: coins, deleting: [])
        return visitor
    }

    @Test(
        "A condition is added by a form, in the language of filters",
        arguments: [
            ("name", "==", "it's <b>", 4), ("year", ">=", "1904", 2), ("tags", "==", "3", 1),
            ("name", "CONTAINS[c]", "PEN", 2),
            ("mint", "==", "coin0", 5), ("mint", "nil", "", 1), ("found", "!nil", "", 0),
            ("name", "BEGINSWITH[c]", "it's", 4),
            ("year", "!=", "1900", 5),
        ])
    func conditions(key: String, name: String, value: String, count: Int) async throws {
        let visitor = try await visitor()
        let response = try await visitor.send(
            .get, DashboardVisitor.address("records", ["type": "Coins", "where": key, "is": name, "value": value]))
        #expect(response.status == .seeOther)
        let address = try #require(response.headerFields[.location])
        let page = try await visitor.send(.get, address)
        let text = String(decoding: try await page.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(text.matches(of: #/<th scope="row">/#).count == count, "\(address)")
        // A second one is joined to the first.
        let filter = try #require(text.firstMatch(of: #/name="filter" value="([^"]+)"/#)?.1)
        #expect(!filter.isEmpty)
    }

    @Test("A condition on a reference names a record of the zone, also of the default one")
    func zones() async throws {
        let visitor = try await visitor()
        let zone = try await visitor.database.save(RecordZone(zoneName: "Travel")).zoneID
        let mint = RecordID(recordName: "coin0", zoneID: zone)
        var coin = Record(recordType: "Coins", recordID: RecordID(recordName: "traveller", zoneID: zone))
        coin["mint"] = Reference(recordID: mint, action: .none)
        try await visitor.database.save(coin)
        for (name, count) in [("Travel", 1), (RecordZone.ID.defaultZoneName, 5)] {
            let browser = try await PlainBrowser(signedInTo: visitor)
            try await browser.open(DashboardVisitor.address("", ["zone": name]))
            let link = try #require(browser.text.firstMatch(of: #/href="([^"]*\/records\?[^"]*)"/#)?.1)
            try await browser.open(String(link).replacing("&amp;", with: "&"))
            let links = browser.text.matches(of: #/href="([^"]*)">(Count|Plan|CSV)</#)
            #expect(links.count == 3 && links.allSatisfy { $0.1.contains("zone=\(name)") })
            try await browser.press("Add", ["where": "mint", "is": "==", "value": "coin0"])
            #expect(browser.text.contains(">\(count) record"), "\(browser.address)")
            try await browser.press("Show", ["sort": "name"])
            #expect(browser.text.contains(">\(count) record"))
            #expect(browser.address.removingPercentEncoding?.contains("zone=\(name)&") == true)
        }
    }

    @Test("A grouping is shown in its form, and stays while records are sorted, counted and explained")
    func keptGroups() async throws {
        let visitor = try await visitor()
        let page = try await visitor.page("records", ["type": "Coins", "group": "mint", "of": "year"])
        #expect(page.contains("value=\"mint\" selected") && page.contains("value=\"year\" selected"))
        for title in ["Count", "Plan", "name"] {
            let links = page.matches(of: #/<a href="([^"]*)">([^<]+)</#).filter { $0.2 == title }
            let address = String(try #require(links.first).1).replacing("&amp;", with: "&")
            #expect(try await visitor.text(of: address).contains("Groups by mint"), "\(title)")
        }
        let browser = try await PlainBrowser(signedInTo: visitor)
        try await browser.open(DashboardVisitor.address("records", ["type": "Coins", "group": "mint"]))
        try await browser.press("Show", ["sort": "name"])
        #expect(browser.text.contains("Groups by mint"))
        try await browser.press("Group", ["group": ""])
        #expect(browser.status == 200 && !browser.text.contains("Groups by mint"))
    }

    @Test("A condition that cannot be is explained, and no operator is taken from an address")
    func mistakes() async throws {
        let visitor = try await visitor()
        for (key, name, value) in [
            ("year", "==", "x"), ("none", "==", "1"), ("found", "<", "some day"), ("name", "CONTAINS[c]", ""),
            ("year", "<", ""),
        ] {
            _ = try await visitor.page(
                "records", ["type": "Coins", "where": key, "is": name, "value": value], status: 400)
        }
        let page = try await visitor.page(
            "records", ["type": "Coins", "where": "year", "is": "== 1900 OR TRUEPREDICATE OR year ==", "value": "1"])
        #expect(page.contains("6 records"))
    }

    /// The cells of the table of groups, row by row.
    private func groups(in page: String) throws -> [[String]] {
        let table = try #require(
            page.firstMatch(of: #/(?s)<caption class="hidden">Groups<\/caption>(.*?)<\/table>/#)?.1)
        return table.matches(of: #/(?s)<tr><th scope="row">(.*?)<\/tr>/#).map { row in
            row.1.split(separator: #/<\/t[hd]>/#).map {
                $0.replacing(#/<[^>]*>/#, with: "").trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }
    }

    @Test("Records are counted in groups with the sum, the mean and the limits of a field, and lead to their records")
    func groups() async throws {
        let visitor = try await visitor()
        let page = try await visitor.page("records", ["type": "Coins", "group": "name", "of": "year"])
        for title in ["Sum of year", "Mean", "Least", "Greatest"] { #expect(page.contains(">\(title)</th>")) }
        #expect(
            try groups(in: page) == [
                ["Penny", "2", "2", "3809", "1904.5", "1904", "1905"],
                ["it&#39;s &lt;b&gt;", "4", "4", "7606", "1901.5", "1900", "1903"],
            ])
        // A text has no sum, and a field without values has no limits.
        let texts = try await visitor.page("records", ["type": "Coins", "group": "mint", "of": "name"])
        #expect(!texts.contains("Sum of"))
        #expect(
            try groups(in: texts) == [
                ["no value", "1", "1", "it&#39;s &lt;b&gt;", "it&#39;s &lt;b&gt;"],
                ["coin0", "5", "5", "Penny", "it&#39;s &lt;b&gt;"],
            ])
        let none = try await visitor.page("records", ["type": "Coins", "group": "name", "of": "found"])
        #expect(try groups(in: none).map { $0.dropFirst(3).joined() } == ["", ""])
        _ = try await visitor.page("records", ["type": "Coins", "group": "name", "of": "tags"], status: 400)
        let link = try #require(page.firstMatch(of: #/href="([^"]+filter=name[^"]+)">Penny/#)?.1)
        let response = try await visitor.send(.get, String(link.replacing("&amp;", with: "&")))
        #expect(String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self).contains("2 records"))
        #expect(try await visitor.page("records", ["type": "Coins", "group": "mint"]).contains("no value"))
        _ = try await visitor.page("records", ["type": "Coins", "group": "tags"], status: 400)
    }

    @Test("Limits of large integers are exact, and a value without a text has a description")
    func limits() async throws {
        let visitor = try await visitor()
        var coins = ["", " "].map { name in
            var coin = Record(recordType: "Coins")
            coin["name"] = name
            return coin
        }
        coins[0]["year"] = Int64(9_007_199_254_740_993)
        _ = try await visitor.database.modifyRecords(saving: coins, deleting: [])
        let page = try await visitor.page("records", ["type": "Coins", "group": "name", "of": "year"])
        let rows = try groups(in: page)
        #expect(rows.prefix(2).map { $0.first } == ["empty text", "blank text"])
        #expect(rows.first?.suffix(2) == ["9007199254740993", "9007199254740993"])
        #expect(page.contains("<span class=\"none\">empty text</span></a>"))
    }

    @Test("Groups are offered by the fields that records can be grouped by")
    func offers() async throws {
        let page = try await visitor().page("records", ["type": "Coins"])
        let offers = try #require(page.firstMatch(of: #/(?s)<select name="group">(.*?)<\/select>/#)?.1)
        #expect(
            offers.matches(of: #/value="([^"]*)"/#).map { String($0.1) } == ["found", "mint", "name", "year"])
        let conditions = try #require(page.firstMatch(of: #/(?s)<select name="where">(.*?)<\/select>/#)?.1)
        #expect(conditions.contains("tags") && conditions.contains("spot"))
    }

    @Test("Changes are in their order, with deletions among them")
    func changes() async throws {
        let visitor = try await visitor()
        let token = try #require(try await visitor.page("changes").firstMatch(of: #/since=([^"]+)"/#)?.1)
        try await visitor.database.deleteRecord(withID: "coin3")
        try await visitor.database.save(Record(recordType: "Coins", recordID: "last"))
        try await visitor.database.deleteRecord(withID: "coin4")
        let since = try #require(String(token).removingPercentEncoding)
        let page = try await visitor.page("changes", ["since": since])
        let rows = page.matches(of: #/<td>(saved|deleted)<\/td><th scope="row">(?:<a [^>]*>)?([^<]+)</#).map {
            "\($0.1) \($0.2)"
        }
        #expect(rows == ["deleted coin4", "saved last", "deleted coin3"])
        // Without a token too.
        let all = try await visitor.page("changes")
            .matches(of: #/<td>(saved|deleted)<\/td><th scope="row">(?:<a [^>]*>)?([^<]+)</#).map { "\($0.1) \($0.2)" }
        #expect(all.prefix(3) == ["deleted coin4", "saved last", "deleted coin3"] && all.count == 7)
    }

    @Test("The page of changes has the last ones, however often a record has changed")
    func lastChanges() async throws {
        let visitor = try await visitor()
        for number in 0..<150 {
            try await visitor.database.save(
                Record(recordType: "Coins", recordID: RecordID(recordName: "new\(number)")))
            var record = try await visitor.database.record(for: "coin0")
            record["year"] = number
            try await visitor.database.save(record)
        }
        let rows = try await visitor.page("changes").matches(of: #/<td>saved<\/td><th scope="row"><a [^>]*>([^<]+)</#)
            .map { String($0.1) }
        #expect(rows.count == 100 && rows.prefix(3) == ["coin0", "new149", "new148"])
    }

    @Test("A text of a new record has two lines, and stays one line otherwise")
    func lines() async throws {
        let visitor = try await visitor()
        #expect(try await visitor.page("new", ["type": "Coins"]).contains("name=\"now.name\" rows=\"2\""))
        #expect(try await visitor.page("record", ["name": "coin5"]).contains("name=\"now.name\" rows=\"1\""))
    }
}
