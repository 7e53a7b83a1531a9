import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Imports and uploads in the dashboard")
struct ImportTests {
    @Test("CSV is shown before anything is saved, and then imported by its types")
    func table() async throws {
        let visitor = try await DashboardVisitor()
        let csv = "recordName,name,year\npenny,Penny,1900\nlira,\"Lira, <b>\",1945\n"
        let page = try await visitor.upload(
            "import", [:], ["type": "Coins"], files: [("file", "coins <i>.csv", csv)], status: 200)
        #expect(page.contains("2 records of Coins, a new type") && page.contains("New field <code>year INT64</code>"))
        #expect(page.contains("Lira, &lt;b&gt;") && page.contains("coins &lt;i&gt;.csv"))
        #expect(try await visitor.database.schema().recordTypes["Coins"] == nil)
        let id = try #require(page.hidden("confirm"))
        let done = try await visitor.submit("import", [:], ["confirm": id], status: 200)
        #expect(done.contains("Imported 2 records"))
        #expect(try await visitor.database.record(for: "lira")["year"] as? Int == 1945)
        // A file is imported once.
        #expect(try await visitor.submit("import", [:], ["confirm": id], status: 400).contains("imported already"))
    }

    @Test("An exported table is imported with the same values, also those that a spreadsheet would run")
    func exportedTable() async throws {
        let visitor = try await DashboardVisitor()
        let texts = ["+39 06", "-x", "@home", "=1+1", "\tx", "'=x", "''@", "'plain", "'", "-5", "a, \"b\"\nc"]
        func coins(_ text: (Int) -> String) -> [Record] {
            texts.indices.map { number in
                var coin = Record(recordType: "Coins", recordID: RecordID(recordName: "coin\(number)"))
                coin["text"] = text(number)
                return coin
            }
        }
        _ = try await visitor.database.modifyRecords(saving: coins { texts[$0] }, deleting: [])
        let csv = try await visitor.page("export", ["type": "Coins", "format": "csv"])
        _ = try await visitor.database.modifyRecords(saving: coins { _ in "x" }, deleting: [], savePolicy: .allKeys)
        let page = try await visitor.upload(
            "import", [:], ["type": "Coins"], files: [("file", "coins.csv", csv)], status: 200)
        _ = try await visitor.submit("import", [:], ["confirm": try #require(page.hidden("confirm"))], status: 200)
        for (number, text) in texts.enumerated() {
            let record = try await visitor.database.record(for: RecordID(recordName: "coin\(number)"))
            #expect(record["text"] as? String == text)
        }
    }

    @Test("JSON objects are imported, and mistakes are shown with their lines")
    func objects() async throws {
        let visitor = try await DashboardVisitor()
        for (name, text, mistake) in [
            ("a.csv", "year\n1900\nx,y\n", "a.csv:3:"), ("a.json", "[{\"year\": 1}, {\"year\": \"x\"}]", "a.json:1:"),
            ("a.json", "[{\"year\": 1", "a.json"),
        ] {
            let page = try await visitor.upload(
                "import", [:], ["type": "Coins"], files: [("file", name, text)], status: 400)
            #expect(page.contains(mistake), "\(name): \(text)")
        }
        _ = try await visitor.upload("import", [:], ["type": ""], files: [("file", "a.csv", "year\n1900")], status: 400)
        _ = try await visitor.upload("import", [:], ["type": "Coins"], files: [], status: 400)
        let page = try await visitor.upload(
            "import", [:], ["type": "Coins"], files: [("file", "a.json", "[{\"recordName\": \"a\", \"year\": 1}]")],
            status: 200)
        _ = try await visitor.submit("import", [:], ["confirm": try #require(page.hidden("confirm"))], status: 200)
        #expect(try await visitor.database.record(for: "a")["year"] as? Int == 1)
    }

    @Test("An export is imported with its assets, and no other file of the machine is read")
    func assets() async throws {
        let visitor = try await DashboardVisitor()
        let bytes = "five!"
        let checksum = Asset.Checksum(of: Data(bytes.utf8))
        func line(_ path: String) -> String {
            "{\"recordName\":\"penny\",\"recordType\":\"Coins\",\"fields\":{\"photo\":{\"asset\":\"\(checksum)\",\"size\":5,\"file\":\"\(path)\"}}}\n"
        }
        let page = try await visitor.upload(
            "import", [:], ["type": ""],
            files: [
                ("file", "shop.jsonl", line("shop.jsonl.assets/\(checksum)")),
                ("assets", "shop.jsonl.assets/\(checksum)", bytes),
            ],
            status: 200)
        _ = try await visitor.submit("import", [:], ["confirm": try #require(page.hidden("confirm"))], status: 200)
        let asset: Asset? = try await visitor.database.record(for: "penny")["photo"]
        #expect(try await asset?.data() == Data(bytes.utf8))
        for path in ["/etc/passwd", "../../../etc/passwd", "lines.jsonl.assets/none"] {
            let page = try await visitor.upload(
                "import", [:], ["type": ""], files: [("file", "shop.jsonl", line(path))], status: 200)
            let answer = try await visitor.submit(
                "import", [:], ["confirm": try #require(page.hidden("confirm"))], status: 400)
            #expect(!answer.contains("root:"))
        }
        for name in ["../x", "a/../../x", "/etc/x/../y", "a/./b", "a//b"] {
            _ = try await visitor.upload(
                "import", [:], ["type": ""], files: [("file", "shop.jsonl", "\n"), ("assets", name, "x")], status: 400)
        }
    }

    @Test("A draft belongs to its database, and their number is bounded")
    func drafts() async throws {
        let visitor = try await DashboardVisitor()
        func send() async throws -> String {
            let page = try await visitor.upload(
                "import", [:], ["type": "Coins"], files: [("file", "a.csv", "year\n1900\n")], status: 200)
            return try #require(page.hidden("confirm"))
        }
        let first = try await send()
        let place = Place(container: "com.example.coins", environment: "development", scope: .public)
        #expect(visitor.dashboard.imports.take(first, at: place) == nil)
        for _ in 0..<8 { _ = try await send() }
        #expect(try await visitor.submit("import", [:], ["confirm": first], status: 400).contains("too old"))
    }

    @Test("An asset is uploaded, replaced and removed in the form of its record")
    func upload() async throws {
        let visitor = try await DashboardVisitor()
        let schema = Schema(recordTypes: [
            "Coins": Schema.RecordType(fields: [
                "name": Schema.Field(.string), "photo": Schema.Field(.asset), "pages": Schema.Field(.list(of: .asset)),
            ])
        ])
        try await visitor.database.apply(schema)
        _ = try await visitor.upload(
            "new", ["type": "Coins"], ["name": "penny", "now.name": "Penny"], files: [("file.photo", "a.png", "bytes")])
        var record = try await visitor.database.record(for: "penny")
        #expect(try await (record["photo"] as? Asset)?.data() == Data("bytes".utf8))
        func tag() async throws -> String { try await visitor.database.record(for: "penny").recordChangeTag ?? "" }
        _ = try await visitor.upload(
            "record", ["name": "penny"], ["tag": tag(), "was.name": "Penny", "now.name": "Penny"],
            files: [
                ("file.photo", "b.png", "others"), ("file.pages", "1", "one"), ("file.pages", "2", "two"),
                ("file.name", "x", "y"),
            ])
        record = try await visitor.database.record(for: "penny")
        #expect(try await (record["photo"] as? Asset)?.data() == Data("others".utf8))
        #expect((record["pages"] as? [Asset])?.count == 2)
        #expect(record["name"] as? String == "Penny")
        // A form without a file changes no asset.
        _ = try await visitor.upload(
            "record", ["name": "penny"], ["tag": tag(), "was.name": "Penny", "now.name": "Cent"],
            files: [("file.photo", "", "")])
        record = try await visitor.database.record(for: "penny")
        #expect(try await (record["photo"] as? Asset)?.data() == Data("others".utf8))
        _ = try await visitor.upload(
            "record", ["name": "penny"], ["tag": tag(), "remove.photo": "1"], files: [])
        #expect(try await visitor.database.record(for: "penny")["photo"] == nil)
    }
}
