import Cabinet
import CabinetTesting
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The indexes that PostgreSQL uses for queries, and the number of rows that it reads.
@Suite struct IndexUseTests {
    /// A store with 20,000 records in one database, and some in another.
    private final class Store: Sendable {
        let backend: PostgresBackend
        let fields: FieldTypes = [
            "name": .string, "state": .string, "n": .int64, "list": .reference, "text": .string, "place": .location,
            "plain": .int64,
        ]

        init() async throws {
            backend = try await Stores.cheapBackend(Stores.configuration())
            let indexes: Set<StoredIndex> = [
                .queryable("name"), .sortable("n"), .queryable("state"), .compound(["list", "name"]),
                .searchable("text"),
                .queryable("place"), .queryable("creationDate"),
            ]
            for (database, count) in [(DatabaseKey.public, 20_000), (.private(owner: "_other"), 2_000)] {
                let fields = fields.own
                try await backend.write(database) { transaction in
                    try await transaction.add(fields.map { StoredField(name: $0.key, type: $0.value) }, to: "Items")
                    try await transaction.setIndexes(indexes, of: "Items")
                }
                // The server ends a transaction whose program is busy for a minute with making records.
                for start in stride(from: 0, to: count, by: 2_000) {
                    try await backend.write(database) { transaction in
                        _ = try await transaction.insertWithSchema((start..<start + 2_000).map(Self.record))
                    }
                }
            }
            try await sql("ANALYZE \(table)")
        }

        private static func record(_ number: Int) -> StoredRecord {
            // A number whose order differs from that of the names.
            let mixed = number * 7919 % 20_000
            var record = StoredRecord(
                String(format: "r%05d", mixed),
                [
                    ("n", .int64(Int64(number % 1000))), ("state", .string(number % 3 == 0 ? "open" : "done")),
                    ("list", .reference(Reference("list\(number % 200)"))),
                    ("text", .string("word\(number % 500) all")),
                    (
                        "place",
                        .location(Location(latitude: Double(number % 170) - 85, longitude: Double(number % 350)))
                    ),
                    ("plain", .int64(Int64(number % 1000))),
                ])
            if number % 9 != 0 { record.fields["name"] = .string("name \(mixed)") }
            record.fields["place"] = .location(
                Location(latitude: Double(number % 170) - 85, longitude: Double(number % 350) - 175))
            record.creationDate = Date(timeIntervalSinceReferenceDate: Double(number))
            return record
        }

        var table: String { "\(backend.starter.schemaCache.schema.quoted).\"Items\"" }

        /// Runs a statement, and returns its first column.
        @discardableResult
        func sql(_ text: String, _ values: [SQLValue] = []) async throws -> [String] {
            let connection = try Connection(
                ConnectionParameters(try await PostgresServer.shared.value.connection()), connectionTimeLimit: 10,
                timeout: nil)
            return try connection.query(text, values, isPrepared: false).rows.map { $0.text(0) ?? "" }
        }

        func plan(
            _ format: String, _ arguments: [(any RecordValue)?] = [], by order: [Sort] = [], limit: Int = 20
        ) throws -> QueryPlan {
            var schema = StoredSchema(recordTypes: ["Items": fields.own])
            schema.indexes["Items"] = [.searchable("text")]
            return try QueryPlan(
                recordType: "Items", filter: try Filter(format: format, arguments: arguments), order: order,
                limit: limit,
                fields: FieldTypes(of: "Items", in: schema))
        }

        func explain(_ plan: QueryPlan) async throws -> QueryExplanation {
            try await backend.read(.public) { try await $0.aggregates.explanation(of: plan) }
        }

        func records(_ plan: QueryPlan) async throws -> [StoredRecord] {
            try await backend.read(.public) { try await $0.records(matching: plan) }
        }

        /// The number of rows that PostgreSQL reads from tables and indexes to find a page.
        func scannedRows(_ plan: QueryPlan) async throws -> Int {
            let statements = try await backend.read(.public) { snapshot in
                guard let snapshot = snapshot as? PostgresSnapshot else { return [SQLStatement]() }
                return try await snapshot.session.use { view in
                    try await view.ensureSnapshot()
                    return try PageSearch(plan, in: view)?.explained().statements ?? []
                }
            }
            var count = 0
            for statement in statements {
                let lines = try await sql(
                    "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(statement.text)", statement.values)
                for line in lines {
                    let isScan = line.contains("Scan using") || line.contains("Scan on") || line.contains("Seq Scan")
                    let numbers = line.matches(of: /rows=(\d+) loops=(\d+)/).first
                    if isScan, let numbers { count += (Int(numbers.1) ?? 0) * (Int(numbers.2) ?? 0) }
                    if let removed = line.firstMatch(of: /Removed by .*: (\d+)/) { count += Int(removed.1) ?? 0 }
                }
            }
            return count
        }
    }

    private func fields(_ explanation: QueryExplanation) -> [[Record.FieldKey]] {
        explanation.access.map { if case .index(_, let fields) = $0 { fields } else { ["scan"] } }
    }

    /// Tests that share one store, which takes seconds to fill.
    @Test func indexes() async throws {
        let store = try await Store()
        try await eachQueryUsesItsIndex(store)
        try await countsUseTheIndexOfTheReference(store)
        try await everyPageCostsTheSame(store)
        try await longTextsAreInOrder(store)
        try await pagesOfSeveralZonesCostTheSame(store)
    }

    /// The records of all zones are in no index in their order; each zone's are read from the primary key.
    private func pagesOfSeveralZonesCostTheSame(_ store: Store) async throws {
        let zones = ["A", "Z"].map { RecordZone.ID(zoneName: $0) }
        try await store.backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema(
                (0..<4000).map { StoredRecord(String(format: "r%05d", $0 * 3), zone: zones[$0 % 2], []) })
        }
        try await store.sql("ANALYZE \(store.table)")
        let plan = try store.plan("TRUEPREDICATE")
        let all = try await store.records(try plan.with { $0.limit = .max })
        #expect(all.count == 24_007)
        for offset in [0, 12_000, 23_900] {
            let page = offset > 0 ? try plan.continued(after: all[offset - 1]) : plan
            #expect(try await store.records(page).map(\.recordID) == all[offset...].prefix(20).map(\.recordID))
            #expect(try await store.scannedRows(page) <= 150, "from \(offset)")
            #expect(try await store.explain(page).ordering == .byIndex)
        }
    }

    /// The items that refer to a list are read by the index of their reference: for a page, those of its lists.
    private func countsUseTheIndexOfTheReference(_ store: Store) async throws {
        try await store.backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema(
                (0..<200).map { StoredRecord("list\($0)", type: "Lists", [("n", .int64(Int64($0)))]) })
        }
        let schema = StoredSchema(recordTypes: ["Items": store.fields.own, "Lists": ["n": .int64]])
        func plan(_ filter: String, _ order: [Sort] = []) throws -> QueryPlan {
            try QueryPlan(
                recordType: "Lists", filter: try Filter(filter), order: order, limit: 20,
                fields: FieldTypes(of: "Lists", in: schema))
        }
        // Each list has 100 of the 20,000 items. A bitmap scan counts rows twice.
        let open = Sort(countOf: "Items", referringBy: "list", where: .field("state") == "open", ascending: false)
        for (plan, most) in [
            (try plan("SUBQUERY(Items.list, $x, TRUEPREDICATE).@count == 100"), 5_000),
            (try plan("SUBQUERY(Items.list, $x, $x.n >= 0).@count > 99"), 5_000),
            (try plan("TRUEPREDICATE", [open]), 50_000),
        ] {
            #expect(try await store.explain(plan).evaluated == nil)
            #expect(try await store.records(plan).count == 20)
            let rows = try await store.scannedRows(plan)
            #expect(rows <= most, "\(plan.filter) by \(plan.order): \(rows) rows")
        }
    }

    private func eachQueryUsesItsIndex(_ store: Store) async throws {
        let box = Location(latitude: 5, longitude: 5)
        let list = Reference("list7")
        let cases: [(String, [(any RecordValue)?], [Sort], [Record.FieldKey], isInOrder: Bool)] = [
            ("n == 3", [], [], ["n"], true), ("n > 3 AND n < 9", [], [Sort("n")], ["n"], true),
            ("name == 'name 77'", [], [], ["name"], true),
            ("name BEGINSWITH 'name 77'", [], [Sort("name")], ["name"], true),
            ("name IN {'name 7', 'name 8'}", [], [], ["name"], false),
            ("list == %@", [list], [Sort("name")], ["list"], true),
            ("list == %@ AND name > 'name 5'", [list], [Sort("name")], ["list", "name"], true),
            ("recordID == %@", [Reference("r00077")], [], ["recordID"], true), ("TRUEPREDICATE", [], [], [], true),
            ("TRUEPREDICATE", [], [Sort("recordID")], [], true),
            ("TRUEPREDICATE", [], [Sort("name")], [], true), ("plain != 7", [], [Sort("n")], [], true),
            ("TRUEPREDICATE", [], [Sort("creationDate", ascending: false)], [], true),
            ("SELF CONTAINS 'word77'", [], [], ["text"], false),
            ("name == NIL", [], [Sort("name")], ["name"], true),
            ("distanceToLocation:fromLocation:(place, %@) < 90000", [box], [], ["place"], false),
            (
                "creationDate > %@", [Date(timeIntervalSinceReferenceDate: 19_990)], [Sort("creationDate")],
                ["creationDate"], true
            ),
        ]
        for (format, arguments, order, expected, isInOrder) in cases {
            let plan = try store.plan(format, arguments, by: order)
            let explanation = try await store.explain(plan)
            let found = fields(explanation)
            #expect(
                found.first == expected || expected == ["text"] && found.contains(expected), "\(format): \(explanation)"
            )
            #expect(!found.contains(["scan"]), "\(format): \(explanation)")
            if isInOrder { #expect(explanation.ordering == .byIndex, "\(format) by \(order): \(explanation)") }
        }
        let either = try await store.explain(store.plan("name == 'name 5' OR n == 3"))
        #expect(Set(fields(either)) == [["name"], ["n"]], "\(either)")
        #expect(try await store.explain(store.plan("plain == 3", by: [Sort("plain")])).ordering == .sorted)
    }

    /// The first page and a late one read as many rows as they have, or a few more.
    private func everyPageCostsTheSame(_ store: Store) async throws {
        let plans = [
            try store.plan("TRUEPREDICATE"), try store.plan("TRUEPREDICATE", by: [Sort("name")]),
            try store.plan("TRUEPREDICATE", by: [Sort("recordID")]),
            try store.plan("TRUEPREDICATE", by: [Sort("recordID", ascending: false)]),
            try store.plan("TRUEPREDICATE", by: [Sort("name", ascending: false)]),
            try store.plan("TRUEPREDICATE", by: [Sort("creationDate")]),
            try store.plan("TRUEPREDICATE", by: [Sort("n"), Sort("name")]),
            try store.plan("list == %@", [Reference("list7")], by: [Sort("name")]),
            try store.plan("state == 'open'", by: [Sort("state")]),
        ]
        for plan in plans {
            let all = try await store.records(try plan.with { $0.limit = .max })
            for offset in [0, all.count / 2, all.count - 30] {
                let page = offset > 0 ? try plan.continued(after: all[offset - 1]) : plan
                #expect(
                    try await store.records(page).map(\.recordID) == all[offset...].prefix(20).map(\.recordID),
                    "\(plan.order), \(offset)")
                let rows = try await store.scannedRows(page)
                #expect(rows <= 150, "\(plan.filter) by \(plan.order) from \(offset): \(rows) rows")
            }
        }
    }

    /// Texts with a common prefix that is longer than an index holds are found, and are in order.
    private func longTextsAreInOrder(_ store: Store) async throws {
        let beginning = String(repeating: "x", count: 220)
        let names = ["b", "a", "", "c", "a\0", "\u{1F6D2}", "ä"].map { beginning + $0 }
        try await store.backend.write(.public) {
            _ = try await $0.insertWithSchema(
                names.enumerated().map { StoredRecord("x\($0)", [("name", .string($1))]) })
        }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for ascending in [true, false] {
            var plan = try store.plan("name BEGINSWITH 'xx'", by: [Sort("name", ascending: ascending)], limit: 2)
            var found: [String] = []
            while true {
                let page = try await store.records(plan)
                for case .string(let name)? in page.map({ $0.fields["name"] }) { found.append(name) }
                guard page.count == 2, let last = page.last else { break }
                plan = try plan.continued(after: last)
            }
            #expect(found == (ascending ? sorted : sorted.reversed()))
        }
        for (index, name) in names.enumerated() {
            let (equal, below) = (
                try store.plan("name == %@", [name]), try store.plan("name < %@ AND name > 'x'", [name])
            )
            #expect(try await store.records(equal).map(\.recordID.recordName) == ["x\(index)"])
            #expect(try await store.records(below).count == sorted.firstIndex(of: name))
        }
        let greatest = try await store.backend.read(.public) { [plan = try store.plan("TRUEPREDICATE")] in
            try await $0.aggregates.value(of: .maximum, over: "name", matching: plan)
        }
        #expect(greatest == .string(sorted.last ?? ""))
    }
}
