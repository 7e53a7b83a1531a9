import Cabinet
import ProgramTestSupport
import Testing

@testable import CabinetCLI
@testable import CabinetTools
@testable import TerminalProgram

@Suite("Browser: the end of long lists")
struct BrowseEndTests {
    /// A browser of records whose number is that of their group, so that many are equal in an order.
    private func driver(records count: Int, inGroupsOf size: Int = 1) async throws -> BrowseDriver {
        var driver = try await BrowseDriver()
        let records = (0..<count).map { index in
            var record = Record(recordType: "Item", recordID: RecordID(recordName: "item-\(index)"))
            record["group"] = index / size
            record["even"] = index.isMultiple(of: 2) ? 1 : 0
            return record
        }
        _ = try await driver.database.modifyRecords(saving: records, deleting: [])
        await driver.open()
        await driver.press(.enter)
        return driver
    }

    /// The names of the shown records.
    private func names(_ driver: inout BrowseDriver) -> [String] {
        driver.screen.rows.compactMap { $0.first }.filter { $0.hasPrefix("item-") }
    }

    private func chunks(_ driver: BrowseDriver) -> [Int] {
        driver.requests.compactMap { if case .rows(_, _, let chunk, _) = $0 { chunk } else { nil } }
    }

    @Test("The end is found without the rows before it, and rows are loaded upwards from there")
    func end() async throws {
        var driver = try await driver(records: 2350)
        await driver.press(.end)
        #expect(chunks(driver) == [0, 23])
        #expect(driver.screen.contains("2350 of 2350"))
        #expect(names(&driver) == (2331..<2350).map { "item-\($0)" })
        for _ in 0..<4 { await driver.press(.pageUp) }
        #expect(chunks(driver) == [0, 23, 22])
        #expect(names(&driver).last == "item-2291" && driver.screen.contains("2274 of 2350"))
        await driver.press(.home, .pageDown)
        #expect(names(&driver).contains("item-19"))
    }

    @Test(
        "In an order with equal values and with a filter, the end has the rows that paging would reach",
        arguments: [("group", ""), ("-group", ""), ("-group", "even = 1"), ("even,-group", "group > 3")])
    func order(sort: String, filter: String) async throws {
        var driver = try await driver(records: 1280, inGroupsOf: 150)
        await driver.press(.character("s"))
        await driver.answer(sort)
        if !filter.isEmpty {
            await driver.press(.character("/"))
            await driver.answer(filter)
        }
        let query = Query(
            recordType: "Item", filter: filter.isEmpty ? .constant(true) : try Filter(filter), sortedBy: Sort.list(sort)
        )
        let expected = try await driver.database.allRecords(matching: query).map(\.recordID.recordName)
        await driver.press(.end)
        #expect(driver.screen.contains("\(expected.count) of \(expected.count)"))
        #expect(names(&driver) == expected.suffix(19))
        await driver.press(.pageUp, .pageUp, .pageUp, .pageUp, .pageUp, .pageUp)
        let top = expected.count - 1 - 6 * 19
        #expect(names(&driver) == Array(expected[top..<(top + 19)]))
    }

    @Test("After a deletion elsewhere, the rows at the end have their new numbers")
    func deletion() async throws {
        var driver = try await driver(records: 1000)
        await driver.press(.end)
        _ = try await driver.database.modifyRecords(
            saving: [], deleting: (0..<50).map { RecordID(recordName: "item-\($0)") })
        await driver.refresh()
        #expect(driver.screen.contains("950 of 950"))
        #expect(names(&driver).last == "item-999")
    }

    @Test("The list of changes begins near their end")
    func changes() async throws {
        let driver = try await driver(records: 3000)
        let store = driver.store
        func count(since token: ServerChangeToken?) async throws -> Int {
            var count = 0
            for try await page in driver.database.recordZoneChangeSequence(inZoneWith: .default, since: token) {
                count += page.modifications.count
            }
            return count
        }
        let found = try await count(since: store.database.startOfLastChanges(inZoneWith: .default))
        #expect(found >= BrowseStore.changeLimit && found < 2 * BrowseStore.changeLimit)
        // Records that were changed again leave gaps, which the search passes.
        var records = try await driver.database.allRecords(matching: Query(recordType: "Item"))
        for _ in 0..<3 {
            for index in records.indices.prefix(400) { records[index]["even"] = 2 }
            let saved = try await driver.database.modifyRecords(
                saving: Array(records.prefix(400)), deleting: [], savePolicy: .allKeys)
            #expect(saved.saveResults.count == 400)
        }
        let start = try await store.database.startOfLastChanges(inZoneWith: .default)
        #expect(try await count(since: start) >= BrowseStore.changeLimit)
    }

    @Test("The last changes of a zone have its deletions in order, as far as they are remembered")
    func deletions() async throws {
        let container = try Container(
            identifier: "com.example.changes", backend: MemoryBackend(),
            changeRetention: ChangeRetention(count: 3))
        let database = container.privateDatabase
        func last(_ limit: Int = 10) async throws -> [String] {
            try await OrderedChanges(database, inZoneWith: .default, last: limit).changes.map { change in
                switch change {
                case .saved(let record): record.recordID.recordName
                case .deleted(let deletion): "-\(deletion.recordID.recordName)"
                }
            }
        }
        #expect(try await last() == [])
        for name in ["a", "b", "c", "d", "e"] {
            try await database.save(Record(recordType: "Item", recordID: RecordID(recordName: name)))
        }
        #expect(try await last() == ["a", "b", "c", "d", "e"])
        for name in ["b", "d"] {
            try await database.deleteRecord(withID: RecordID(recordName: name))
            try await database.save(
                Record(recordType: "Item", recordID: RecordID(recordName: "after-\(name)")))
        }
        #expect(try await last() == ["a", "c", "e", "-b", "after-b", "-d", "after-d"])
        #expect(try await last(3) == ["after-b", "-d", "after-d"])
        for number in 0..<8 {
            try await database.save(
                Record(recordType: "Item", recordID: RecordID(recordName: "x\(number)")))
            try await database.deleteRecord(withID: RecordID(recordName: "x\(number)"))
        }
        let found = try await last()
        #expect(found.suffix(3) == ["-x5", "-x6", "-x7"])
        #expect(Array(found.prefix(5)) == ["a", "c", "e", "after-b", "after-d"])
        #expect(!found.contains("-b"))
    }
    @Test("The ends are found in a store whose numbers are near the greatest one")
    func greatNumbers() async throws {
        let backend = MemoryBackend()
        func saving(_ type: String, _ names: [String]) async throws -> BrowseStore {
            let container = try Container(identifier: "test", backend: backend)
            let records = names.map { Record(recordType: type, recordID: RecordID(recordName: $0)) }
            try await container.privateDatabase.save(records)
            return BrowseStore(
                container: container, database: container.privateDatabase,
                invocation: Invocation(program: .cabinet, command: .browse, arguments: Arguments(), console: Console()))
        }
        _ = try await saving("Old", (0..<12).map { "old-\($0)" })
        try await backend.write(.private(owner: Account.default.userRecordName)) {
            try await $0.apply([.setEntry(StorageKey("database"), "\(Int64.max - 1_000)")])
        }
        _ = try await saving("Item", (0..<64).map { "item-\($0)" })
        let store = try await saving("Last", (0..<64).map { "last-\($0)" })
        for type in ["Old", "Item"] {
            let start = try #require(try await store.position(of: RecordSelection(type), rowsToEnd: 2))
            let page = try await store.database.records(continuingMatchFrom: start)
            #expect(page.matchResults.count == 2 && page.queryCursor == nil)
        }
        let changes = try await OrderedChanges(store.database, inZoneWith: .default, last: 500).changes
        #expect(changes.count == 140)
    }
}
