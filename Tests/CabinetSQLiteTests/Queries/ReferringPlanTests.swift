import Cabinet
import CabinetConformance
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The referring records of each record are found by the index of their reference.
@Suite struct ReferringPlanTests {
    /// A database with 60 lists, and with four items and four notes of each of the first 50.
    private func database() async throws -> (Store, Database) {
        let store = Store()
        let database = try Container(identifier: "com.example.referring", backend: store.backend).privateDatabase
        _ = try await database.modifyRecords(
            saving: (0..<60).map { number in
                var list = Record(recordType: "Lists", recordID: RecordID(recordName: "list\(number)"))
                list["number"] = number
                return list
            }, deleting: [])
        _ = try await database.modifyRecords(
            saving: (0..<200).flatMap { number in
                let list = Reference(recordID: RecordID(recordName: "list\(number % 50)"), action: .none)
                var item = Record(recordType: "Items")
                item["list"] = list
                item["number"] = number
                var note = Record(recordType: "Notes")
                note["lists"] = [list, list]
                return [item, note]
            }, deleting: [])
        return (store, database)
    }

    private static let filters = [
        ("SUBQUERY(Items.list, $x, TRUEPREDICATE).@count == 0", 10),
        ("SUBQUERY(Items.list, $x, TRUEPREDICATE).@count > 0", 50),
        ("SUBQUERY(Items.list, $x, $x.number > 100).@count == 2", 49),
        ("SUBQUERY(Items.list, $x, $x.number > 100 AND $x.list.number == 3).@count > 1", 1),
        ("SUBQUERY(Items.list, $x, $x.number > 100).@count * 2 > number", 4),
        ("SUBQUERY(Items.list, $x, SUBQUERY(Notes.item, $y, TRUEPREDICATE).@count == 0).@count == 4", 50),
    ]

    @Test(arguments: filters)
    func filtersUseTheIndex(format: String, count: Int) async throws {
        let (store, database) = try await database()
        defer { withExtendedLifetime(store) {} }
        let query = Query(recordType: "Lists", filter: try Filter(format))
        #expect(try await database.count(matching: query) == count)
        let explanation = try await database.explain(query)
        #expect(explanation.evaluated == nil)
        let lines = explanation.details.joined(separator: "; ")
        #expect(lines.contains("SEARCH $r1 USING"), "\(lines)")
        #expect(!lines.contains("SCAN $r"), "\(lines)")
        #expect(lines.contains("cabinet_reference_Items.list"), "\(lines)")
    }

    @Test func ordersUseTheIndex() async throws {
        let (store, database) = try await database()
        defer { withExtendedLifetime(store) {} }
        let order = Sort(countOf: "Items", referringBy: "list", where: .field("number") > 100, ascending: false)
        let query = Query(recordType: "Lists", sortedBy: [order, "number"])
        let lines = try await database.explain(query).details.joined(separator: "; ")
        #expect(lines.contains("SEARCH $r1 USING"), "\(lines)")
        let page = try await database.records(matching: query, resultsLimit: 2)
        #expect(page.matchResults.map(\.0.recordName) == ["list1", "list2"])
    }

    /// No index has the references in lists: the notes are read once, not once for each list.
    @Test func listsAreReadOnce() async throws {
        let (store, database) = try await database()
        defer { withExtendedLifetime(store) {} }
        for (format, count) in [
            ("SUBQUERY(Notes.lists, $x, TRUEPREDICATE).@count == 4", 50),
            ("SUBQUERY(Notes.lists, $x, TRUEPREDICATE).@count == 0", 10),
        ] {
            let query = Query(recordType: "Lists", filter: try Filter(format))
            #expect(try await database.count(matching: query) == count)
            let explanation = try await database.explain(query)
            #expect(explanation.evaluated == nil)
        }
    }

    /// The evaluator counts if SQL cannot decide the filter.
    @Test func evaluatedFilters() async throws {
        let (store, database) = try await database()
        defer { withExtendedLifetime(store) {} }
        for (format, count) in [
            ("SUBQUERY(Notes.lists, $x, $x.lists[0].number == 3).@count == 4", 1),
            ("SUBQUERY(Items.list, $x, {$x.list}[0].number == 3).@count == 4", 1),
            (
                "SUBQUERY(Items.list, $x, SUBQUERY(Items.list, $y, {$y.list}[0].number == 3).@count == 0).@count == 4",
                50
            ),
            ("{number, SUBQUERY(Items.list, $x, TRUEPREDICATE).@count}[1] == 4", 50),
        ] {
            #expect(
                try await database.count(matching: Query(recordType: "Lists", filter: Filter(format))) == count,
                "\(format)")
        }
    }

    /// The statement that counts the items of an item has the text of the one that reads the items of a list.
    @Test func countsWithinAStatementOfTheSameText() async throws {
        let (store, database) = try await database()
        defer { withExtendedLifetime(store) {} }
        let list = Reference(recordID: RecordID(recordName: "list3"), action: .none)
        let filter = try Filter(
            "list == %@ AND SUBQUERY(Items.list, $x, {$x.list}[0].number == 3).@count == 0", list)
        let query = Query(recordType: "Items", filter: filter)
        #expect(try await database.count(matching: query, inZoneWith: .default) == 4)
    }

    /// Otherwise, the inner use would begin the rows of the outer one again.
    @Test func aStatementInUseIsNotHandedOut() throws {
        var cache = StatementCache(handle: try DatabaseHandle(path: ":memory:", creates: true), limit: 4)
        let outer = try cache.statement("VALUES (1), (2)")
        #expect(try outer.step())
        let inner = try cache.statement("VALUES (1), (2)")
        #expect(inner !== outer)
        while try inner.step() {}
        #expect(try outer.step())
        #expect(try outer.step() == false)
        #expect(try cache.statement("VALUES (1), (2)") === outer)
        #expect(cache.preparations == 2)
    }
}
