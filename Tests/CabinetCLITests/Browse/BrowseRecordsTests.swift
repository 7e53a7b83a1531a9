import Cabinet
import CabinetTools
import ProgramTestSupport
import Testing

@testable import CabinetCLI
@testable import TerminalProgram

@Suite("Browser: types and records")
struct BrowseRecordsTests {
    /// A browser of numbered records, which opens the types first.
    private func driver(records count: Int) async throws -> BrowseDriver {
        var driver = try await BrowseDriver()
        var schema = Schema()
        schema["Item"] = Schema.RecordType(fields: [
            "number": Schema.Field(.int64, [.queryable, .sortable]), "name": Schema.Field(.string, .searchable),
            "tags": Schema.Field(.list(of: .string)), "photo": Schema.Field(.asset),
        ])
        try await driver.database.apply(schema)
        let records = (0..<count).map { index in
            var record = Record(recordType: "Item", recordID: RecordID(recordName: "item-\(index)"))
            record["number"] = index
            record["name"] = "Name \(index)"
            return record
        }
        _ = try await driver.database.modifyRecords(saving: records, deleting: [])
        await driver.open()
        return driver
    }

    @Test("Types are shown with their numbers of records, and the selected one with its fields and indexes")
    func types() async throws {
        var driver = try await driver(records: 3)
        #expect(driver.screen.rows.contains(["Item", "3", "4", "3"]))
        #expect(driver.screen.rows.contains(["number", "INT64", "QUERYABLE SORTABLE"]))
        driver.size = TerminalSize(rows: 50, columns: 200)
        #expect(driver.screen.rows.contains { $0.first == "Item" && $0.contains("name") && $0.last == "SEARCHABLE" })
        #expect(driver.screen.split(separator: "\n").allSatisfy { String($0).columns == 200 })
    }

    @Test("Rows are loaded as the selection reaches them, and only those around it are kept")
    func paging() async throws {
        var driver = try await driver(records: 1250)
        await driver.press(.enter)
        func loaded(_ requests: [BrowseRequest]) -> [Int] {
            requests.compactMap { if case .rows(_, _, let chunk, _) = $0 { chunk } else { nil } }
        }
        #expect(loaded(driver.requests) == [0])
        #expect(driver.screen.contains("1 of 1250"))
        // The first column with an order comes first, and files are left out.
        #expect(driver.screen.rows.contains(["record", "number", "name", "tags"]))
        for _ in 0..<5 { await driver.press(.pageDown) }
        #expect(loaded(driver.requests) == [0, 1])
        #expect(driver.screen.contains("96 of 1250"))
        await driver.press(.end)
        // The rows between are not loaded.
        #expect(loaded(driver.requests) == [0, 1, 12])
        #expect(driver.screen.contains("1250 of 1250") && driver.screen.contains("item-1249"))
        await driver.press(.home)
        // The first rows are no longer kept, so they are loaded again.
        #expect(loaded(driver.requests).suffix(1) == [0])
        #expect(driver.screen.rows.contains { $0.first == "item-0" })
        await driver.press(.down, .click(row: 5, column: 10))
        #expect(driver.screen.contains("3 of 1250"))
        await driver.press(.click(row: 5, column: 10))
        #expect(driver.screen.hasPrefix("Record types › Item › item-2"))
    }

    @Test("A filter and an order are typed; a mistake keeps the question, and points to its position")
    func filter() async throws {
        var driver = try await driver(records: 30)
        await driver.press(.enter, .character("/"))
        await driver.answer("number >> 3")
        let mistake = driver.screen
        #expect(mistake.contains("Filter: number >> 3") && mistake.rows.contains(["^"]), "\(mistake)")
        await driver.answer("numbr > 3")
        #expect(driver.screen.contains("Did you mean 'number'?"))
        await driver.answer("number > 26")
        #expect(driver.screen.hasPrefix("Record types › Item where number > 26") && driver.screen.contains("1 of 3"))
        await driver.press(.character("s"))
        await driver.answer("-number")
        #expect(driver.screen.rows.dropFirst(3).first?.first == "item-29")
        await driver.press(.character("/"), .escape, .character("/"))
        await driver.answer("")
        #expect(driver.screen.contains("1 of 30"))
    }

    @Test("A change elsewhere replaces the shown rows, and the selection stays at its position")
    func refresh() async throws {
        var driver = try await driver(records: 3)
        await driver.press(.enter, .down)
        try await driver.database.deleteRecord(withID: RecordID(recordName: "item-0"))
        await driver.refresh()
        #expect(!driver.screen.contains("item-0") && driver.screen.contains("2 of 2"))
        await driver.press(.character("d"), .character("n"))
        #expect(driver.screen.contains("2 of 2"))
        await driver.press(.character("d"), .character("y"))
        #expect(driver.screen.contains("1 of 1") && driver.screen.contains("The record is deleted."))
        await driver.press(.escape, .escape, .left)
        #expect(!driver.model.isFinished)
        await driver.press(.character("q"))
        #expect(driver.model.isFinished)
    }

    @Test("Types, fields and indexes are added, and the others keep their indexes")
    func definition() async throws {
        var driver = try await driver(records: 1)
        await driver.press(.character("a"))
        await driver.answer("Coin (year INT64 QUERYABLE)")
        #expect(driver.screen.rows.contains(["Coin", "0", "1", "1"]))
        await driver.press(.home, .character("f"), .character("a"))
        await driver.answer("name STRING SORTABLE")
        #expect(driver.screen.rows.contains(["name", "STRING", "SORTABLE"]))
        #expect(driver.screen.rows.contains(["year", "INT64", "QUERYABLE"]))
        await driver.press(.character("a"))
        await driver.answer("wrong NOTYPE")
        #expect(driver.screen.contains("NOTYPE"))
        #expect(try await driver.database.schema()["Coin"].fields.count == 2)
    }

    @Test("A typed field keeps the roles, grants, indexes and unique values of its type, and adds its own")
    func extendedSchema() {
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Coin"]["year"] = Schema.Field(.int64)
        schema["Coin"].indexes = [["name", "year"]]
        schema["Coin"].grants = ["Editor": [.read]]
        var typed = Schema()
        typed["Coin"]["name"] = Schema.Field(.string)
        typed["Coin"].uniqueKeys = [["name"]]
        let extended = schema.extended(by: typed)
        #expect(extended.roles == ["Editor"])
        #expect(extended["Coin"].fields.keys.sorted() == ["name", "year"])
        #expect(extended["Coin"].indexes == [["name", "year"]])
        #expect(extended["Coin"].uniqueKeys == [["name"]])
        #expect(extended["Coin"].grants == ["Editor": [.read]])
    }
}
