import Cabinet
import ProgramTestSupport
import Testing

@testable import CabinetCLI
@testable import CabinetTools
@testable import TerminalProgram

@Suite("Browser: one record")
struct BrowseRecordTests {
    /// A browser that shows the records of the second of two types, which refer to each other.
    private func driver() async throws -> BrowseDriver {
        var driver = try await BrowseDriver()
        var author = Record(recordType: "Author", recordID: RecordID(recordName: "ada"))
        author["name"] = "Ada"
        var book = Record(recordType: "Book", recordID: RecordID(recordName: "engines"))
        book["title"] = "Engines"
        book["author"] = Reference(record: author, action: .none)
        var other = Record(recordType: "Book", recordID: RecordID(recordName: "numbers"))
        other["title"] = "12"
        other["sources"] = [Reference(record: book, action: .none), Reference(record: author, action: .none)]
        other["author"] = Reference(record: author, action: .none)
        _ = try await driver.database.modifyRecords(saving: [author, book, other], deleting: [])
        await driver.open()
        await driver.press(.end, .enter)
        return driver
    }

    @Test("References are followed in both directions")
    func references() async throws {
        var driver = try await driver()
        await driver.press(.end, .enter)
        #expect(driver.screen.rows.contains(["sources", "2 references"]))
        #expect(driver.screen.rows.contains(["author", "→ ada"]))
        // The first reference of the list.
        await driver.press(.home, .down, .down, .down, .down, .down, .enter)
        #expect(driver.screen.hasPrefix("Book › numbers › engines"))
        #expect(driver.screen.rows.contains(["← Book.sources", "1 record"]))
        #expect(!driver.screen.contains("← Book.author"))
        await driver.press(.end, .enter)
        #expect(driver.screen.hasPrefix("numbers › engines › Book where sources CONTAINS"))
        await driver.press(.enter)
        #expect(driver.screen.rows.contains(["title", "12"]))
        await driver.press(.escape, .escape, .home, .down, .down, .down, .enter)
        #expect(driver.screen.rows.contains(["name", "Ada"]))
        #expect(driver.screen.rows.contains(["← Book.author", "2 records"]))
        await driver.press(.end, .up, .enter)
        #expect(driver.screen.contains("1 of 2"), "\(driver.screen)")
    }

    @Test("Fields are edited, cleared, added and saved; a text that looks like a number stays a text")
    func editing() async throws {
        var driver = try await driver()
        await driver.press(.end, .enter, .end, .character("e"))
        #expect(driver.screen.contains("title: \"12\""), "\(driver.screen)")
        await driver.answer("Numbers")
        #expect(driver.screen.contains("not saved") && driver.screen.rows.contains(["title*", "Numbers"]))
        await driver.press(.character("+"))
        await driver.answer("pages")
        await driver.answer("321")
        await driver.press(.character("w"))
        #expect(driver.screen.contains("Saved.") && !driver.screen.contains("*"))
        var saved = try await driver.database.record(for: RecordID(recordName: "numbers"))
        #expect(saved["title"] == "Numbers" && saved["pages"] == 321)
        await driver.press(.character("x"))
        #expect(driver.screen.contains("not saved"))
        await driver.press(.character("w"))
        saved = try await driver.database.record(for: saved.recordID)
        #expect(saved["pages"] == nil)
        await driver.press(.character("w"))
        #expect(driver.screen.contains("Nothing was changed."))
    }

    @Test("The records whose parent is a record are followed from it, in its zone only")
    func children() async throws {
        var driver = try await BrowseDriver()
        let zone = try await driver.database.save(RecordZone(zoneName: "Work"))
        for zoneID in [RecordZone.ID.default, zone.zoneID] {
            let folder = Record(recordType: "Folder", recordID: RecordID(recordName: "folder", zoneID: zoneID))
            let pages = (0..<3).map { number in
                var page = Record(recordType: "Page", recordID: RecordID(recordName: "page \(number)", zoneID: zoneID))
                page.setParent(folder)
                return page
            }
            _ = try await driver.database.modifyRecords(saving: [folder] + pages, deleting: [])
        }
        await driver.open()
        await driver.press(.home, .enter, .enter)
        #expect(driver.screen.hasPrefix("Record types › Folder › folder"))
        #expect(driver.screen.rows.contains(["← Page.parent", "3 records"]), "\(driver.screen)")
        #expect(!driver.screen.contains("← Folder.parent"))
        await driver.press(.end, .enter)
        #expect(driver.screen.contains("Page where parent == ") && driver.screen.contains("1 of 3"), "\(driver.screen)")
        await driver.press(.down, .enter)
        #expect(driver.screen.contains("page 1") && driver.screen.rows.contains(["parent", "→ folder"]))
    }

    @Test("A conflict is reported and changes nothing; what was typed is discarded only if the person agrees")
    func conflict() async throws {
        var driver = try await driver()
        await driver.press(.end, .enter, .end, .character("e"))
        await driver.answer("Mine")
        var other = try await driver.database.record(for: RecordID(recordName: "numbers"))
        other["title"] = "Theirs"
        try await driver.database.save(other)
        await driver.refresh()
        #expect(driver.screen.rows.contains(["title*", "Mine"]))
        await driver.press(.character("w"))
        #expect(driver.screen.contains("changed"), "\(driver.screen)")
        #expect(try await driver.database.record(for: other.recordID)["title"] == "Theirs")
        await driver.press(.escape, .character("n"))
        #expect(driver.screen.rows.contains(["title*", "Mine"]))
        await driver.press(.character("r"))
        #expect(driver.screen.rows.contains(["title", "Theirs"]))
    }

    @Test("A new record has the fields of its type, and is saved, refused and deleted")
    func new() async throws {
        var driver = try await driver()
        await driver.press(.character("a"))
        await driver.answer("third")
        #expect(driver.screen.hasPrefix("Record types › Book › third") && driver.screen.contains("not saved"))
        await driver.press(.end, .enter)
        await driver.answer("Third")
        await driver.press(.home, .enter)
        await driver.answer("{\"reference\":\"nothing\",\"action\":\"deny\"}")
        await driver.press(.character("w"))
        #expect(driver.screen.contains("nothing") && driver.screen.contains("not saved"), "\(driver.screen)")
        await driver.press(.character("x"), .character("w"))
        #expect(driver.screen.contains("Saved."))
        await driver.press(.character("d"), .character("y"))
        #expect(driver.screen.contains("The record is deleted.") && driver.screen.contains("of 2"))
    }

    @Test("Zones are added and deleted, and limit the records")
    func zones() async throws {
        var driver = try await driver()
        await driver.press(.escape, .character("z"), .character("a"))
        await driver.answer("Work")
        #expect(driver.screen.rows.contains(["Work", "__defaultOwner__"]), "\(driver.screen)")
        await driver.press(.home, .enter)
        #expect(driver.screen.contains("Zone Work"), "\(driver.screen)")
        #expect(driver.screen.rows.contains(["Book", "0", "3", "0"]), "\(driver.screen)")
        await driver.press(.escape, .character("d"), .character("y"))
        #expect(try await driver.database.allRecordZones().count == 1)
    }

    @Test("Changes are shown newest first, a deleted record is not opened, and a zone has its own")
    func changes() async throws {
        var changes = ChangesScreen(zoneID: .default, schema: Schema())
        let dates: [String?] = ["1", "2", nil]
        _ = changes.take(
            .changes(
                dates.enumerated().map { number, date in
                    BrowseChange(recordID: RecordID(recordName: "r\(number)"), recordType: "Page", date: date)
                }))
        let lines = changes.body(rows: 10, columns: 80).dropFirst().map { $0.encoded(allowing: []) }
        #expect(lines.map { $0.contains(" r2 ") } == [true, false, false], "\(lines)")
        #expect(changes.handle(.enter).isEmpty)
        _ = changes.handle(.down)
        #expect(changes.handle(.enter).count == 1)
        var driver = try await driver()
        let zone = try await driver.database.save(RecordZone(zoneName: "Work"))
        await driver.press(.escape, .character("z"), .home, .character("c"))
        #expect(driver.requests.last == .changes(zone.zoneID), "\(driver.requests.suffix(1))")
    }

    @Test("The indexes of a field are changed, and a schema that would lose data cannot be deployed")
    func definitions() async throws {
        var driver = try await driver()
        await driver.press(.escape, .home, .character("f"), .character("i"))
        await driver.answer("name STRING QUERYABLE")
        #expect(try await driver.database.schema()["Author"]["name"]?.options == .queryable)
        var old = Schema()
        old["Author"]["name"] = Schema.Field(.string)
        var new = Schema()
        new["Author"]["title"] = Schema.Field(.string)
        var screen = DeployScreen(store: "other")
        _ = screen.take(.difference(old.difference(to: new)))
        #expect(screen.keys.map(\.key) == ["Esc"] && screen.handle(.character("y")).isEmpty)
        new["Author"]["name"] = Schema.Field(.string)
        _ = screen.take(.difference(old.difference(to: new)))
        #expect(screen.keys.map(\.key) == ["y", "Esc"])
    }
    @Test("Every screen is drawn on a terminal of any size", arguments: [(5, 20), (3, 7), (1, 1), (30, 120)])
    func sizes(rows: Int, columns: Int) async throws {
        var driver = try await driver()
        driver.size = TerminalSize(rows: rows, columns: columns)
        let moves: [Key] = [.end, .up, .home, .pageDown, .click(row: 0, column: 0), .click(row: 65_534, column: 0)]
        let walk: [Key] = [
            .escape, .escape, .home, .enter, .character("/"), .escape, .character("d"), .escape, .enter,
            .character("e"),
            .escape, .character("d"), .escape, .escape, .escape, .character("f"), .character("a"), .escape, .escape,
            .character("z"), .character("a"), .escape, .character("c"), .escape, .enter, .escape, .escape,
            .character("D"),
            .escape,
        ]
        for key in walk.flatMap({ [$0] + moves }) {
            await driver.press(key)
            let lines = driver.screen.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == rows && lines.allSatisfy { String($0).columns == columns }, "\(key): \(lines)")
        }
        var (old, new) = (Schema(), Schema())
        for number in 0..<3 { old["T\(number)"]["x"] = Schema.Field(.string) }
        new["T0"]["x"] = Schema.Field(.int64)
        var deployment = DeployScreen(store: "other")
        _ = deployment.take(.difference(old.difference(to: new)))
        #expect(!deployment.body(rows: Page.bodyHeight(in: driver.size), columns: columns).isEmpty)
    }
}
