import Cabinet
import CabinetServer
import CabinetTesting
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Records in the dashboard")
struct RecordTests {
    private func filled() async throws -> DashboardVisitor {
        let visitor = try await DashboardVisitor()
        var country = Record(recordType: "Countries", recordID: "it")
        country["name"] = "Italy"
        var coin = Record(recordType: "Coins", recordID: "lira")
        coin["name"] = "Lira"
        coin["year"] = 1945
        coin["country"] = Reference(recordID: "it", action: .deleteSelf)
        _ = try await visitor.database.modifyRecords(saving: [country, coin], deleting: [])
        return visitor
    }

    @Test("A record is made, changed and deleted by forms")
    func life() async throws {
        let visitor = try await filled()
        let made = try await visitor.submit(
            "new", ["type": "Coins"], ["name": "penny", "now.name": "Penny", "now.year": "1900", "now.country": "it"])
        #expect(made == DashboardVisitor.address("record", ["name": "penny"]))
        var record = try await visitor.database.record(for: "penny")
        #expect(record["year"] as? Int == 1900)
        #expect((record["country"] as? Reference)?.recordID == "it")

        let page = try await visitor.page("record", ["name": "penny"])
        let tag = try #require(page.hidden("tag"))
        _ = try await visitor.submit(
            "record", ["name": "penny"],
            ["tag": tag, "was.year": "1900", "now.year": "1901", "was.name": "Penny", "now.name": "Penny\r\nof 1901"])
        record = try await visitor.database.record(for: "penny")
        #expect(record["year"] as? Int == 1901)
        #expect(record["name"] as? String == "Penny\nof 1901", "A line end is one character again.")
        #expect((record["country"] as? Reference)?.action == Reference.Action.none)

        let question = try await visitor.page("delete", ["name": "it"])
        #expect(
            question.contains("Delete it?") && question.contains("lira") && question.contains("1 record refers to it"))
        _ = try await visitor.submit("delete", ["name": "it"], ["tag": try #require(question.hidden("tag"))])
        await #expect(throws: CabinetError(.unknownItem)) { try await visitor.database.record(for: "it") }
        await #expect(throws: CabinetError(.unknownItem)) { try await visitor.database.record(for: "lira") }
    }

    @Test("A value that does not fit is shown again, with the reason and what was typed")
    func mistakes() async throws {
        let visitor = try await filled()
        let tag = try #require(try await visitor.page("record", ["name": "lira"]).hidden("tag"))
        let page = try await visitor.submit(
            "record", ["name": "lira"], ["tag": tag, "was.year": "1945", "now.year": "<old>"], status: 400)
        #expect(
            page.contains("holds INT64 values") && page.contains("value=\"&lt;old&gt;\"")
                && page.contains("aria-invalid"))
        #expect(try await visitor.database.record(for: "lira")["year"] as? Int == 1945)
    }

    @Test("A record that another client has changed is shown in three states, and nothing is overwritten")
    func conflict() async throws {
        let visitor = try await filled()
        let tag = try #require(try await visitor.page("record", ["name": "lira"]).hidden("tag"))
        var other = try await visitor.database.record(for: "lira")
        other["year"] = 1950
        other["name"] = "Lira of the mint"
        try await visitor.database.save(other)
        let fields: KeyValuePairs = [
            "tag": tag, "was.year": "1945", "now.year": "1946", "was.name": "Lira", "now.name": "Lira",
        ]
        let page = try await visitor.submit("record", ["name": "lira"], fields, status: 409)
        #expect(page.contains("<td>1945</td><td>1950</td><td>1946</td>"))
        #expect(page.contains("<td>Lira</td><td>Lira of the mint</td><td>Lira</td>"))
        #expect(try await visitor.database.record(for: "lira")["year"] as? Int == 1950)

        // The form of that page has the change on top of the other client's.
        let merged = try #require(page.hidden("tag"))
        #expect(
            page.contains("name=\"now.year\" value=\"1946\"")
                && page.contains(">\nLira of the mint</textarea>"))
        _ = try await visitor.submit(
            "record", ["name": "lira"], ["tag": merged, "was.year": "1950", "now.year": "1946"])
        let saved = try await visitor.database.record(for: "lira")
        #expect(saved["year"] as? Int == 1946 && saved["name"] as? String == "Lira of the mint")
    }

    @Test("Records are filtered, sorted, counted, explained and paged, and a mistake is shown at its position")
    func queries() async throws {
        let visitor = try await filled()
        let many = (0..<250).map { number in
            var record = Record(recordType: "Coins", recordID: RecordID(recordName: "coin \(number + 100)"))
            record["year"] = number
            return record
        }
        _ = try await visitor.database.modifyRecords(saving: many, deleting: [])
        let page = try await visitor.page(
            "records", ["type": "Coins", "filter": "year < 200", "sort": "-year", "count": "1", "plan": "1"])
        #expect(page.contains("200 records") && page.contains("coin 299") && !page.contains("coin 300"))
        #expect(page.contains("found:"))
        var next = String(try #require(page.firstMatch(of: #/href="([^"]*after=[^"]*)"/#)).1)
            .replacing("&amp;", with: "&")
        var rest = try await visitor.send(.get, next)
        var text = String(decoding: try await rest.body.collect(upTo: 1 << 24), as: UTF8.self)
        #expect(text.contains("coin 199") && text.contains("coin 100") && !text.contains("coin 200"))
        #expect(!text.contains("Next 100"))
        next = "\(DashboardVisitor.address("records", ["type": "Coins", "after": "x"]))"
        rest = try await visitor.send(.get, next)
        #expect(rest.status == .badRequest)

        text = try await visitor.page("records", ["type": "Coins", "filter": "year >"], status: 400)
        #expect(text.contains("^") && text.contains("value=\"year &gt;\""))
        text = try await visitor.page("records", ["type": "Coins", "filter": "yaer > 3"], status: 400)
        #expect(text.contains("Did you mean &#39;year&#39;?"))
    }

    @Test("Values that are too long for an address are in none, and the page says why it has no next one")
    func longValues() async throws {
        let visitor = try await DashboardVisitor()
        let texts = (0..<101).map { number in
            var record = Record(recordType: "Texts", recordID: RecordID(recordName: "text \(number)"))
            (record["text"], record["number"]) = ("\(number)" + String(repeating: "ä", count: 4_000), number)
            return record
        }
        _ = try await visitor.database.modifyRecords(saving: texts, deleting: [])
        let page = try await visitor.page("records", ["type": "Texts", "sort": "text", "group": "text"])
        #expect(page.contains("is too long for an address") && page.contains("Groups by text"))
        for link in page.matches(of: #/href="([^"]*)"/#) { #expect(link.1.utf8.count < 3_500) }
        #expect(try await visitor.page("records", ["type": "Texts", "sort": "number"]).contains(">Next 100</a>"))
    }

    @Test("A page of a hundred records is one query, and the first page is small")
    func costs() async throws {
        let visitor = try await filled()
        let many = (0..<100).map { number in
            var record = Record(recordType: "Coins", recordID: RecordID(recordName: "coin \(number)"))
            record["name"] = "Coin \(number)"
            return record
        }
        _ = try await visitor.database.modifyRecords(saving: many, deleting: [])
        visitor.backend.forgetCalls()
        _ = try await visitor.page("records", ["type": "Coins"])
        // The schema, and the records.
        #expect(visitor.backend.calls.count <= 2, "\(visitor.backend.calls)")
        var size = try await visitor.page("").utf8.count
        for file in ["dashboard.css", "dashboard.js", "icon.svg"] {
            let response = try await visitor.send(.get, "/dashboard/style/\(file)")
            size += Int(response.body.length ?? 0)
        }
        #expect(size <= 30_000, "\(size)")
    }

    @Test("The fields that refer to a record are listed with numbers, and lead to the records")
    func references() async throws {
        let visitor = try await filled()
        let page = try await visitor.page("record", ["name": "it"])
        let link = String(
            try #require(page.firstMatch(of: #/href="([^"]*)">Coins\.country<\/a> <span class="count">1</#)).1)
        let response = try await visitor.send(.get, link.replacing("&amp;", with: "&"))
        let text = String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
        #expect(text.contains(">lira</a>"))
    }

    @Test("Pictures are shown, other bytes are a download, and a picture that is none is not believed")
    func assets() async throws {
        let visitor = try await filled()
        var record = Record(recordType: "Coins", recordID: "penny")
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 40)
        record["picture"] = Asset(data: png)
        record["page"] = Asset(data: Data("<script>alert(1)</script>".utf8))
        record["drawing"] = Asset(data: Data("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".utf8))
        try await visitor.database.save(record)
        for (field, type, place) in [
            ("picture", "image/png", "inline"), ("page", "application/octet-stream", "attachment"),
            ("drawing", "application/octet-stream", "attachment"),
        ] {
            let response = try await visitor.send(
                .get, DashboardVisitor.address("asset", ["name": "penny", "field": field]))
            #expect(response.headerFields[.contentType] == type)
            #expect(response.headerFields[.contentDisposition]?.hasPrefix(place) == true)
        }
        let none = try await visitor.send(.get, DashboardVisitor.address("asset", ["name": "penny", "field": "name"]))
        #expect(none.status == .notFound)
    }

    @Test("A large asset is sent in parts", .timeLimit(.minutes(5)))
    func largeAsset() async throws {
        let visitor = try await filled()
        var record = Record(recordType: "Coins", recordID: "film")
        record["film"] = Asset(data: Data(repeating: 7, count: 65 << 20))
        try await visitor.database.save(record)
        let response = try await visitor.send(
            .get, DashboardVisitor.address("asset", ["name": "film", "field": "film"]))
        #expect(response.headerFields[.contentDisposition] == "attachment; filename=\"film-0\"")
        var (size, largest) = (0, 0)
        for try await chunk in response.body { (size, largest) = (size + chunk.count, max(largest, chunk.count)) }
        #expect(size == 65 << 20 && largest <= 1 << 20)
    }

    @Test("A spreadsheet runs no value of an exported table")
    func export() async throws {
        let visitor = try await filled()
        var record = Record(recordType: "Coins", recordID: "evil")
        record["name"] = "=HYPERLINK(\"http://evil.example\")"
        record["year"] = -5
        try await visitor.database.save(record)
        let text = try await visitor.page("export", ["type": "Coins", "format": "csv"])
        #expect(text.contains("'=HYPERLINK") && !text.contains(",=HYPERLINK") && text.contains("-5"))
        let lines = try await visitor.page("export", ["type": "Coins", "format": "json", "filter": "year > 0"])
        #expect(lines.split(separator: "\n").count == 1)
    }

    @Test("An exported table has the chosen columns, and an unknown one is a mistake on both pages")
    func exportedColumns() async throws {
        let visitor = try await filled()
        let all = try await visitor.page("export", ["type": "Coins", "format": "csv"])
        #expect(all.hasPrefix("recordName,country,name,year\n"))
        let chosen = try await visitor.page("export", ["type": "Coins", "format": "csv", "columns": "year, name"])
        #expect(chosen == "recordName,year,name\nlira,1945,Lira\n")
        let page = try await visitor.page("records", ["type": "Coins", "columns": "year"])
        #expect(page.contains("columns=year&amp;format=csv"), "The link has the columns of the table.")
        for name in ["records", "export"] {
            let mistake = try await visitor.page(name, ["type": "Coins", "columns": "name,yaer"], status: 400)
            #expect(mistake.contains("has no field &#39;yaer&#39;") && mistake.contains("Did you mean &#39;year&#39;?"))
        }
    }

    @Test("The page of an error has its message and the name of its code, without a tree")
    func errors() async throws {
        let visitor = try await filled()
        let page = try await visitor.page("record", ["name": "none"], status: 404)
        #expect(page.contains("<p class=\"none\">Error code: unknownItem</p>"))
        #expect(page.contains("role=\"alert\">There is no") && !page.contains("CabinetError") && !page.contains("└─"))
    }

    @Test("No file of the machine is read for a person in a browser")
    func files() async throws {
        let visitor = try await filled()
        var record = Record(recordType: "Coins", recordID: "penny")
        record["file"] = Asset(data: Data("a".utf8))
        try await visitor.database.save(record)
        let tag = try #require(try await visitor.page("record", ["name": "penny"]).hidden("tag"))
        for value in ["/etc/passwd", "{\"file\":\"/etc/passwd\"}"] {
            _ = try await visitor.submit(
                "record", ["name": "penny"], ["tag": tag, "was.file": "", "now.file": value], status: 303)
            _ = try await visitor.submit(
                "record", ["name": "penny"],
                ["tag": tag, "new.key": "other", "new.value": "{\"file\":\"/etc/passwd\"}"], status: 400)
        }
        let saved = try await visitor.database.record(for: "penny")
        #expect(try await (saved["file"] as? Asset)?.data() == Data("a".utf8))
        #expect(saved["other"] == nil)
    }
}
