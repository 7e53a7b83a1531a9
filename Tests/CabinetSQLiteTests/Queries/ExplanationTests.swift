import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The explanation of a query matches its execution.
@Suite struct ExplanationTests {
    private static let schema = StoredSchema(recordTypes: [
        "Items": [
            "name": .string, "n": .int64, "m": .int64, "score": .double, "list": .reference, "tags": .list(of: .string),
            "numbers": .list(of: .int64), "others": .list(of: .reference), "when": .timestamp, "place": .location,
            "weights": .list(of: .double),
        ],
        "Lists": ["name": .string, "rank": .int64, "owner": .reference],
        "Owners": ["city": .string, "home": .location],
    ])

    /// A store with 40 lists of two owners, and 10 items in each.
    private func store(_ indexes: [Record.RecordType: Set<StoredIndex>] = [:]) async throws -> Store {
        let store = Store()
        var records = ["berlin", "paris"].map { StoredRecord($0, type: "Owners", [("city", .string($0))]) }
        for list in 0..<40 {
            records.append(
                StoredRecord(
                    "list\(list)", type: "Lists",
                    [
                        ("name", .string("List \(list)")), ("rank", .int64(Int64(list % 2))),
                        ("owner", .reference(Reference(list == 7 ? "paris" : "berlin"))),
                    ]))
            for item in 0..<10 {
                let place = Location(latitude: Double(list), longitude: Double(item))
                records.append(
                    StoredRecord(
                        "item\(list)-\(item)",
                        [
                            ("name", .string("Item \(item)")), ("n", .int64(Int64(item))), ("m", .int64(Int64(list))),
                            ("score", .double(Double(item) / 4)), ("list", .reference(Reference("list\(list)"))),
                            ("tags", .list(.string(["t\(item)", "all"]))),
                            ("numbers", .list(.int64([Int64(item)]))), ("place", .location(place)),
                            ("others", .list(.reference([Reference("list\(list)", .none)]))),
                            ("weights", .list(.double([Double(item)]))),
                        ]))
            }
        }
        let all = records
        try await store.backend.write(.public) { transaction in
            for (type, fields) in Self.schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                let sorted = fields.sorted { $0.key < $1.key }
                try await transaction.add(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type)
                try await transaction.setIndexes(indexes[type] ?? [], of: type)
            }
            _ = try await transaction.insertWithSchema(all)
        }
        return store
    }

    private func plan(_ filter: Filter, _ order: [Sort] = [], limit: Int = .max) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", filter: filter, order: order, limit: limit,
            fields: FieldTypes(of: "Items", in: Self.schema))
    }

    private func explain(_ plan: QueryPlan, in store: Store) async throws -> QueryExplanation {
        try await store.backend.read(.public) { try await $0.explanation(of: plan) }
    }

    @Test func withoutAnIndex() async throws {
        let store = try await store()
        let explanation = try await explain(plan(try Filter("name == 'Item 1'"), [Sort("n")]), in: store)
        #expect(explanation.access == [.scan])
        #expect(explanation.ordering == .sorted)
        #expect(explanation.evaluated == nil)
        #expect(!explanation.details.isEmpty)
    }

    @Test func byReference() async throws {
        let store = try await store()
        let filter = try Filter("list == %@", Reference("list3"))
        let explanation = try await explain(plan(filter), in: store)
        #expect(explanation.access == [.index(name: "cabinet_reference_Items.list", fields: ["list"])])
        #expect(explanation.pushedDown == filter)
    }

    @Test func byCompoundIndex() async throws {
        let store = try await store(["Items": [.compound(["list", "name"])]])
        let filter = try Filter("list == %@", Reference("list3"))
        let explanation = try await explain(plan(filter, [Sort("name")], limit: 5), in: store)
        guard case .index(let name, let fields)? = explanation.access.first else {
            Issue.record("\(explanation)")
            return
        }
        #expect(name.contains("list,name"))
        #expect(fields == ["list"])
        #expect(explanation.ordering == .byIndex)
    }

    @Test func byRecordName() async throws {
        let store = try await store()
        let byName = QueryExplanation.Access.index(name: "cabinet_record", fields: ["recordID"])
        for filter in ["recordID == %@", "recordID IN {%@, 'none'}"] {
            let named = try await explain(plan(try Filter(filter, Reference("item3-3"))), in: store)
            #expect(named.access == [byName])
            #expect(named.evaluated == nil)
        }
        let sorted = try await explain(plan(try Filter("n == 3"), [Sort("recordID")], limit: 5), in: store)
        #expect(sorted.access == [.index(name: "cabinet_record", fields: [])])
        #expect(sorted.ordering == .byIndex)
        let path = try await explain(plan(.constant(true), [Sort("list.rank")], limit: 5), in: store)
        #expect(path.access == [.scan, byName])
    }

    /// Sorting a few records costs less than skipping the names of all others.
    @Test func aRareTypeByRecordName() async throws {
        let store = try await store()
        let plan = try QueryPlan(
            recordType: "Lists", filter: .constant(true), order: [Sort("recordID")], limit: 5,
            fields: FieldTypes(of: "Lists", in: Self.schema))
        let sorted = try await explain(plan, in: store)
        #expect(sorted.access == [.scan])
        #expect(sorted.ordering == .sorted)
        let names = (0..<40).map { "list\($0)" }.sorted()
        let pages = try await store.backend.read(.public) { snapshot in
            let first = try await snapshot.records(matching: plan)
            return first + (try await snapshot.records(matching: plan.continued(after: first[4])))
        }
        #expect(pages.map(\.recordID.recordName) == Array(names[..<10]))
    }

    @Test func bySeveralIndexes() async throws {
        let store = try await store(["Items": [.queryable("n")]])
        let filter = try Filter("list == %@ OR n == 3", Reference("list3"))
        let fields = try await explain(plan(filter), in: store).access.map { access -> [Record.FieldKey] in
            if case .index(_, let fields) = access { fields } else { [] }
        }
        #expect(fields == [["list"], ["n"]])
    }

    /// Few matching targets are found first, and the records by them.
    ///
    /// If many match, the target of each record is read.
    @Test func byPath() async throws {
        let store = try await store(["Lists": [.queryable("name")]])
        // Items have names too, and a reference may lead to one: they are searched after the lists.
        let few = try await explain(plan(try Filter("list.name == 'List 3'"), limit: 5), in: store)
        #expect(few.access.last == .index(name: "cabinet_reference_Items.list", fields: ["list"]))
        #expect(few.access.first == .index(name: "cabinet_index_Lists.name", fields: ["name"]))
        #expect(few.evaluated == nil)
        let many = try await explain(plan(try Filter("list.owner.city == 'berlin'"), limit: 5), in: store)
        #expect(many.evaluated == nil)
        #expect(many.ordering == .byIndex)
        let sorted = try await explain(plan(.constant(true), [Sort("list.name")], limit: 5), in: store)
        #expect(sorted.ordering == .sorted)
    }

    @Test func whatIsEvaluated() async throws {
        let store = try await store()
        let weights = try Filter("weights == numbers")
        let explanation = try await explain(plan(.and([weights, try Filter("n == 3")])), in: store)
        #expect(explanation.evaluated == weights)
        #expect(explanation.pushedDown == (try Filter("n == 3")))
        #expect(try await explain(plan(.constant(false)), in: store).access == [.nothing])
    }

    @Test func bySearchesAndFoldedBeginnings() async throws {
        let store = try await store(["Items": [.searchable("name"), .queryable("name")]])
        for text in ["item 7", "it", "\"item 7\""] {
            let search = try await explain(plan(.search(text), [.relevance], limit: 9), in: store)
            #expect(search.evaluated == nil)
            #expect(search.ordering == .sorted)
            #expect(search.access == [.index(name: "cabinet_search_Items.words", fields: ["name"])], "\(search)")
        }
        for format in ["name BEGINSWITH[cd] 'ITEM 3'", "name BEGINSWITH[c] 'i' AND n == 3"] {
            let beginning = try await explain(plan(try Filter(format), [Sort("name")], limit: 9), in: store)
            #expect(beginning.evaluated == nil)
            #expect(beginning.access == [.index(name: "cabinet_index_Items.name", fields: ["name"])], "\(beginning)")
        }
    }

    @Test func byWordsAndLocations() async throws {
        let store = try await store(["Items": [.searchable("name"), .queryable("place")]])
        let words = try await explain(plan(try Filter("SELF CONTAINS '7'")), in: store)
        #expect(words.evaluated == nil)
        guard case .index(_, ["name"])? = words.access.first else {
            Issue.record("\(words)")
            return
        }
        let place = Location(latitude: 3, longitude: 3)
        let near = try await explain(
            plan(try Filter("distanceToLocation:fromLocation:(place, %@) < 1000", place)), in: store)
        #expect(near.evaluated == nil)
        guard case .index(_, ["place"])? = near.access.first else {
            Issue.record("\(near)")
            return
        }
    }

    /// The part that SQL decides, and the numbers of the matching records.
    private static let translated = [
        ("n * 2 + 1 == 7", 40), ("-n < m - 40", 36), ("n / 2 == 2.5", 40), ("n ** 2 == 81", 40),
        ("score * 4 == n", 400),
        ("name ==[c] 'ITEM 1'", 40), ("name CONTAINS[cd] 'ÍTEM'", 400), ("name LIKE 'Item ?'", 400),
        ("name LIKE[c] 'i?em 1*'", 40), ("name MATCHES '.* [12]'", 80), ("name IN[c] {'item 1', 'item 2'}", 80),
        ("name BETWEEN {'Item 3', 'Item 4'}", 80), ("tags CONTAINS 't3'", 40), ("'all' IN tags", 400),
        ("ANY tags BEGINSWITH 't3'", 40), ("ALL tags == 'all'", 0), ("NONE tags ==[c] 'T3'", 360),
        ("ANY tags IN {'t1', 't2'}", 80), ("ANY numbers > 7", 80), ("numbers CONTAINS 3", 40), ("tags[SIZE] == 2", 400),
        ("tags.@count > 2", 0), ("tags[0] == 't3'", 40), ("tags[LAST] == 'all'", 400), ("tags[9] == nil", 400),
        ("list.name == 'List 3'", 10), ("list.owner.city == 'paris'", 10), ("list.owner.city != 'paris'", 390),
        ("list.rank == 1 AND n == 1", 20), ("NOT list.name BEGINSWITH 'List 3'", 290), ("parent.name == nil", 400),
        ("list.creationDate == creationDate", 400), ("list.owner.home == nil", 400), ("n IN {m, 1}", 49),
        ("weights CONTAINS 3.0", 40), ("ANY weights > 7", 80), ("tags == {'t3', 'all'}", 40), ("weights.@sum == 4", 40),
        ("ALL tags IN {'all', 't1'}", 40), ("weights[0] * 2 == 6", 40), ("weights[LAST] == numbers[0]", 400),
        ("others CONTAINS nil", 0), ("tags.@count * 2 == 4", 400),
        ("name.@int64.n == nil", 400), ("list.name.@string.n != nil", 0), ("name.@string.city == 'Rome' OR n == 3", 40),
    ]

    @Test func whatIsPushedDown() async throws {
        let store = try await store()
        for (format, count) in Self.translated {
            let plan = try plan(try Filter(format))
            #expect(try await explain(plan, in: store).evaluated == nil, "\(format)")
            let found = try await store.backend.read(.public) { try await $0.count(matching: plan) }
            #expect(found == count, "\(format)")
        }
    }

    @Test func distances() async throws {
        let store = try await store()
        let berlin = Location(latitude: 3, longitude: 3)
        let filter = try Filter("distanceToLocation:fromLocation:(place, %@) < 120000", berlin)
        let nearest = try plan(filter, [Sort("place", distanceFrom: berlin)], limit: 3)
        #expect(try await explain(nearest, in: store).evaluated == nil)
        let names = try await store.backend.read(.public) { try await $0.records(matching: nearest) }
        #expect(names.first?.recordID.recordName == "item3-3")
        #expect(names.count == 3)
    }

    /// Queries of one shape share their statements.
    @Test func statementsAreShared() async throws {
        let store = try await store()
        for number in 0..<50 {
            for format in ["list.name == %@", "list.owner.city !=[c] %@", "name LIKE %@", "tags CONTAINS %@"] {
                let plan = try plan(
                    try Filter(format, "List \(number)"), [Sort("list.name", options: .numeric)], limit: 3)
                _ = try await store.backend.read(.public) { try await $0.records(matching: plan) }
            }
        }
        let prepared =
            store.backend.files.openFile(.public)?.readers.idleResources.map(\.preparations).reduce(0, +) ?? 0
        #expect((1...60).contains(prepared), "\(prepared)")
    }
}
