import Cabinet
import CabinetTesting
import CSQLite
import Foundation
import SQLSupport
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The indexes that SQLite uses for queries.
@Suite struct IndexUseTests {
    private static let fields: FieldTypes = [
        "name": .string, "number": .int64, "list": .reference, "other": .int64, "price": .double,
    ]
    private static let indexes: Set<StoredIndex> = [
        .compound(["list", "name"]), .queryable("number"), .sortable("price"), .queryable("creationDate"),
    ]

    /// A store with items of three lists, in one zone or in several, some of them without a name.
    private func store(isZoned: Bool, indexes: Set<StoredIndex> = Self.indexes) async throws -> (Store, [StoredRecord])
    {
        let store = Store()
        let zones = isZoned ? [RecordZone.ID(zoneName: "B"), .default, RecordZone.ID(zoneName: "A")] : [.default]
        var records: [StoredRecord] = []
        for number in 0..<240 {
            let zone = zones[number % zones.count]
            var fields: [(String, FieldValue)] = [
                ("number", .int64(Int64(number % 60))), ("other", .int64(Int64(number % 3))),
                ("price", .double(Double(number % 50) / 4)),
                ("list", .reference(Reference("l\(number % 4)", zone: zone))),
            ]
            if number % 9 != 0 { fields.append(("name", .string("n\(number % 17)"))) }
            records.append(StoredRecord("r\(number % 120 < 5 ? 1000 + number : number)", zone: zone, fields))
        }
        records = try await store.insert(records)
        try await store.backend.write(.public) { try await $0.setIndexes(indexes, of: "Items") }
        return (store, records)
    }

    /// SQLite's access path for the rows of a plan's page, for each statement.
    private func access(_ plan: QueryPlan, _ store: Store, _ records: [StoredRecord]) throws -> [String] {
        let connection = try Connection(path: store.path, creates: false, configuration: SQLiteConfiguration())
        try connection.beginReading(SchemaCache())
        defer { connection.rollback() }
        #expect(try connection.records(matching: plan) == plan.page(of: records))
        var statement = sqlite3_next_stmt(connection.handle.pointer, nil)
        var texts: [String] = []
        while let current = statement {
            let text = String(cString: sqlite3_sql(current))
            if text.contains("ORDER BY"), text.contains(#" "Items""#) { texts.insert(text, at: 0) }
            statement = sqlite3_next_stmt(connection.handle.pointer, current)
        }
        return try texts.map { text in
            let explanation = try Statement("EXPLAIN QUERY PLAN \(text)", on: connection.handle)
            var lines: [String] = []
            while try explanation.step() { lines.append(explanation.string(3) ?? "") }
            return lines.joined(separator: "; ")
        }
    }

    private func plan(
        _ filter: String, _ arguments: [(any RecordValue)?] = [], by order: [Sort] = [], zone: RecordZone.ID? = nil
    ) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", zoneID: zone, filter: try Filter(format: filter, arguments: arguments), order: order,
            limit: 5, fields: Self.fields)
    }

    @Test(arguments: [true, false], [true, false])
    func aListSortedByNameIsReadFromItsIndex(ascending: Bool, isZoned: Bool) async throws {
        let (store, records) = try await store(isZoned: isZoned)
        for zone in isZoned ? [nil, RecordZone.ID.default, RecordZone.ID(zoneName: "A")] : [nil, .default] {
            var plan = try plan(
                "list == %@", [Reference("l2", zone: zone ?? .default)], by: [Sort("name", ascending: ascending)],
                zone: zone)
            var pages = 0
            while true {
                let page = try plan.page(of: records)
                for line in try access(plan, store, records) {
                    #expect(line.contains("USING INDEX cabinet_index_Items.list,name (list=?"), "\(line)")
                    if plan.position != nil { #expect(line.contains("AND name"), "\(line)") }
                    if ascending { #expect(!line.contains("TEMP B-TREE"), "\(line)") }
                    // Descending, only records with equal keys are sorted.
                    #expect(!line.contains("B-TREE FOR ORDER BY"), "\(line)")
                }
                guard let last = page.last else { break }
                plan = try plan.continued(after: last)
                pages += 1
            }
            #expect(pages >= (isZoned ? 4 : 12))
        }
    }

    @Test(arguments: [true, false])
    func eachQueryUsesItsIndex(isZoned: Bool) async throws {
        let (store, records) = try await store(isZoned: isZoned)
        let all = isZoned ? "cabinet_zone_Items (___zone=?" : "SCAN Items"
        // The row whose number `cabinet_record` has, and the rows in the order in which it has their names.
        let byName = "SEARCH Items USING INTEGER PRIMARY KEY (rowid=?)"
        let inOrderOfNames = "SEARCH cabinet_record USING PRIMARY KEY (zone=?); \(byName)"
        let cases: [(filter: String, order: [Sort], index: String)] = [
            ("number == 3", [], "cabinet_index_Items.number (number=?"),
            ("number == 3 AND other == 1", [Sort("name")], "cabinet_index_Items.number (number=?"),
            ("number > 3 AND number < 9", [], "cabinet_index_Items.number (number>? AND number<?"),
            ("number BETWEEN {3, 4}", [Sort("name")], "cabinet_index_Items.number (number>? AND number<?"),
            ("number IN {3, 4}", [], "cabinet_index_Items.number (number=?"),
            ("number == 3 OR price == 2", [], "cabinet_index_Items.price (price=?"),
            ("TRUEPREDICATE", [Sort("price")], "SCAN Items USING INDEX cabinet_index_Items.price"),
            ("other == 1", [Sort("price")], "SCAN Items USING INDEX cabinet_index_Items.price"),
            ("creationDate > %@", [], "cabinet_index_Items.___createTime (___createTime>?"),
            ("list == %@", [], "(list=?"), ("list == %@", [Sort("price")], "(list=?"),
            ("recordID == %@", [], byName), ("recordID == %@", [Sort("name")], byName),
            ("recordID == %@ OR number == 3", [], byName), ("recordID == %@ AND other == 1", [], byName),
            ("list == %@ AND number > 1", [Sort("name")], "cabinet_index_Items.list,name (list=?"),
            ("other == 1", [Sort("recordID")], inOrderOfNames),
            ("other == 1", [Sort("recordID", ascending: false), Sort("name")], inOrderOfNames),
            ("number == 3", [Sort("recordID")], "cabinet_index_Items.number (number=?"),
            ("other == 1", [], all), ("other == 1 OR name == 'n1'", [], all), ("parent == NIL", [], all),
            ("number > other", [], all), ("number IN {other}", [], all),
        ]
        for (filter, order, index) in cases {
            let arguments: [any RecordValue] =
                filter.contains("Date") ? [Date.distantFuture] : filter.contains("%@") ? [Reference("l1")] : []
            let plan = try plan(filter, arguments, by: order, zone: .default)
            let lines = try access(plan, store, records)
            #expect(lines.count == 1 && lines[0].contains(index), "\(filter) by \(order): \(lines)")
            if index == all { #expect(lines == [isZoned ? "SEARCH Items USING INDEX \(all))" : all]) }
        }
    }

    @Test(arguments: [true, false])
    func wordsAreFoundByTheirIndex(isZoned: Bool) async throws {
        let (store, records) = try await store(isZoned: isZoned, indexes: [.searchable("name")])
        for order in [[], [Sort("number")]] {
            let lines = try access(plan("self CONTAINS 'n1'", by: order, zone: .default), store, records)
            #expect(
                lines.count == 1 && lines[0].hasPrefix("SEARCH Items USING INTEGER PRIMARY KEY (rowid=?)"), "\(lines)")
        }
    }

    @Test func pagesOfAnIndexedOrderSeekTheirPosition() async throws {
        let (store, records) = try await store(isZoned: false)
        let plan = try plan("other != 7", by: [Sort("price", ascending: false)]).with {
            $0.position = QueryPosition(values: [.double(5)], insertionNumber: 100)
        }
        let lines = try access(plan, store, records)
        try #require(lines.count > 1)
        #expect(lines[0].contains("cabinet_index_Items.price (price=? AND rowid>?)"), "\(lines)")
        #expect(lines[1].contains("cabinet_index_Items.price (price<?"), "\(lines)")
        // Without an index, one statement reads the rows.
        let unindexed = try plan.with {
            $0.order = [Sort("other")]
            $0.position = QueryPosition(values: [.int64(1)], insertionNumber: 20)
        }
        #expect(try access(unindexed, store, records).count == 1)
    }
}
