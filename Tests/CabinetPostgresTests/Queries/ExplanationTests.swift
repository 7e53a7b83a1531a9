import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The explanation of a query matches its execution.
@Suite struct ExplanationTests {
    private func store(_ indexes: [Record.RecordType: Set<StoredIndex>] = [:]) async throws -> any StorageBackend {
        let backend = try await Stores.cheapBackend(Stores.configuration())
        try await QuerySamples.fill(backend, indexes)
        return backend
    }

    private func plan(_ format: String, _ arguments: any RecordValue...) throws -> QueryPlan {
        try QuerySamples.plan(try Filter(format: format, arguments: arguments.map { $0 }))
    }

    /// The part that SQL decides, and the numbers of the matching records.
    private static let translated = [
        ("n == 3", 40), ("n < 2.5", 120), ("score == 1", 40), ("score IN {1, 2, 'x'}", 80),
        ("name BETWEEN {'Item 3', 'Item 4'}", 80), ("name CONTAINS 'tem 3'", 40), ("name BEGINSWITH 'Item 3'", 40),
        ("name ENDSWITH ' 3'", 40), ("name LIKE '*tem*3'", 40), ("name IN {'Item 1', 'Item 2'}", 80),
        ("n == score", 40),
        ("n > score", 360), ("tags CONTAINS 't3'", 40), ("'all' IN tags", 400), ("ANY tags BEGINSWITH 't3'", 40),
        ("ALL tags == 'all'", 0), ("NONE tags == 't3'", 360), ("ANY tags IN {'t1', 't2'}", 80), ("ANY numbers > 7", 80),
        ("numbers CONTAINS 3", 40), ("tags[SIZE] == 2", 400), ("tags.@count > 2", 0), ("tags[0] == 't3'", 40),
        ("tags[LAST] == 'all'", 400), ("tags[9] == nil", 400), ("tags[n] == 'all'", 40), ("list.name == 'List 3'", 10),
        ("list.owner.city == 'paris'", 10), ("list.owner.city != 'paris'", 390), ("list.rank == 1 AND n == 1", 20),
        ("NOT list.name BEGINSWITH 'List 3'", 290), ("parent.name == nil", 400), ("list.name == nil", 0),
        ("list.creationDate == creationDate", 400), ("list.owner.home == nil", 400), ("n IN {m, 1}", 49),
        ("weights CONTAINS 3", 40), ("ANY weights > 7.5", 80), ("tags == {'t3', 'all'}", 40), ("weights == {3}", 40),
        ("ALL tags IN {'all', 't1'}", 40), ("weights[LAST] == numbers[0]", 400), ("others CONTAINS nil", 0),
        ("n < list.rank", 20), ("recordID == nil", 0),
    ]

    @Test func whatIsPushedDown() async throws {
        let store = try await store()
        for (format, count) in Self.translated {
            let plan = try plan(format)
            #expect(try await store.explain(plan).evaluated == nil, "\(format)")
            #expect(try await store.count(plan) == count, "\(format)")
        }
        let mine = try plan("others CONTAINS %@", Reference("list3"))
        #expect(try await store.explain(mine).evaluated == nil)
        #expect(try await store.count(mine) == 10)
    }

    /// Conditions that SQL approximates and the evaluator decides; the explanation says if it reads no more records
    /// than match.
    private static let bounded = [
        ("n * 2 + 1 == 7", 40), ("-n < m - 40", 36), ("n / 2 == 2.5", 40), ("n ** 2 == 81", 40),
        ("score * 4 == n", 400),
        ("name ==[c] 'ITEM 1'", 40), ("name CONTAINS[cd] 'ÍTEM'", 400), ("name LIKE 'Item ?'", 400),
        ("name LIKE[c] 'i?em 1*'", 40), ("name MATCHES '.* [12]'", 80), ("name IN[c] {'item 1', 'item 2'}", 80),
        ("NONE tags ==[c] 'T3'", 360), ("ANY tags ENDSWITH[c] 'LL'", 400), ("weights.@sum == 4", 40),
        ("weights[0] * 2 == 6", 40), ("tags.@count * 2 == 4", 400), ("SELF CONTAINS '7'", 40),
        ("list.name ==[c] 'list 3'", 10), ("weights == numbers", 400), ("NOT name ==[c] 'ITEM 1'", 360),
        ("name.@string.city == 'Rome'", 0), ("name.@int64.n == nil", 400), ("name.@string.city != 'Rome'", 400),
    ]

    @Test func whatIsEvaluated() async throws {
        let store = try await store()
        for (format, count) in Self.bounded {
            let plan = try plan(format)
            #expect(try await store.explain(plan).evaluated == plan.filter, "\(format)")
            #expect(try await store.count(plan) == count, "\(format)")
            #expect(try await store.names(plan).count == count, "\(format)")
        }
        let both = try plan("n == 3 AND name MATCHES '.*3'")
        let explanation = try await store.explain(both)
        #expect(explanation.pushedDown == (try Filter("n == 3")))
        #expect(explanation.evaluated == (try Filter("name MATCHES '.*3'")))
        #expect(try await store.explain(plan("FALSEPREDICATE")).access == [.nothing])
        // SQL selects the rows whose text has the characters of a value of JSON.
        let json = try await store.explain(plan("name.@string.city == 'Rome'")).details.joined()
        #expect(json.contains("strpos"), "\(json)")
    }

    @Test func byReferencesAndPaths() async throws {
        let store = try await store(["Lists": [.queryable("name")]])
        let direct = try await store.explain(plan("list == %@", Reference("list3")))
        #expect(direct.evaluated == nil)
        #expect(!direct.details.isEmpty)
        let path = try await store.explain(plan("list.name == 'List 3'"))
        #expect(path.evaluated == nil)
        // Nil, from any operands, equals a path from a record without a target.
        try await store.write(.public) {
            _ = try await $0.insertWithSchema([StoredRecord("alone", [("n", .int64(1))])])
        }
        let place = Location(latitude: 1, longitude: 2)
        let distance = try plan("list.rank == distanceToLocation:fromLocation:(NIL, %@)", place)
        for plan in [try plan("list.rank == NIL"), distance] { #expect(try await store.names(plan) == ["alone"]) }
    }

    @Test func byWords() async throws {
        let store = try await store(["Items": [.searchable("name")]])
        let words = try plan("SELF CONTAINS '7'")
        #expect(try await store.explain(words).evaluated == nil)
        #expect(try await store.count(words) == 40)
        #expect(try await store.count(plan("name TOKENMATCHES 'ITEM'")) == 400)
        #expect(try await store.count(plan("NOT SELF CONTAINS '7 8'")) == 320)
        #expect(try await store.explain(plan("SELF SEARCH 'item 7'")).evaluated == nil)
        for (format, count) in [
            ("SELF SEARCH 'item 7'", 40), ("SELF SEARCH 'it'", 400), ("name SEARCH '\"item 7\"'", 40),
        ] {
            #expect(try await store.count(plan(format)) == count, "\(format)")
        }
    }

    @Test func byFoldedBeginnings() async throws {
        let store = try await store(["Items": [.queryable("name")]])
        let beginning = try plan("name BEGINSWITH[cd] 'ÍTEM 3'")
        #expect(try await store.count(beginning) == 40)
        let details = try await store.explain(beginning).details.joined(separator: " ")
        #expect(details.contains("BitmapOr") || details.contains("Index"), "\(details)")
    }

    @Test func theNearest() async throws {
        let store = try await store(["Items": [.queryable("place")]])
        let here = Location(latitude: 3, longitude: 3)
        let filter = try Filter("distanceToLocation:fromLocation:(place, %@) < 120000", here)
        for limit in [3, 1000] {
            let nearest = try QuerySamples.plan(filter, [Sort("place", distanceFrom: here)], limit: limit)
            let names = try await store.names(nearest)
            #expect(names.first == "item3-3")
            #expect(names.count == min(limit, 5))
        }
        for ascending in [true, false] {
            var all = try QuerySamples.plan(
                .constant(true), [Sort("place", distanceFrom: here, ascending: ascending), Sort("n")], limit: 150)
            var names: [String] = []
            while names.count < 500 {
                let request = all
                let page = try await store.read(.public) { try await $0.records(matching: request) }
                names += page.map(\.recordID.recordName)
                guard let last = page.last else { break }
                all = try all.continued(after: last)
            }
            #expect(names.count == 400)
            #expect(Set(names).count == 400)
            #expect((ascending ? names.first : names.last) == "item3-3")
        }
    }

    /// Rows with more words than an index holds are found too.
    @Test func crowdedRows() async throws {
        let store = try await store(["Items": [.searchable("name")]])
        let many = (0..<100_000).map { "word\($0)" }.joined(separator: " ")
        let long = String(repeating: "ä", count: 1500)
        try await store.write(.public) {
            _ = try await $0.insertWithSchema([
                StoredRecord("many", [("name", .string(many))]), StoredRecord("long", [("name", .string("\(long) 7"))]),
            ])
        }
        #expect(try await store.count(plan("SELF CONTAINS '7'")) == 41)
        #expect(try await store.names(plan("SELF CONTAINS 'word99'")) == ["many"])
        #expect(try await store.names(plan("SELF CONTAINS %@", long)) == ["long"])
        #expect(try await store.count(plan("NOT SELF CONTAINS 'word99'")) == 401)
        #expect(try await store.count(plan("SELF CONTAINS 'nobody'")) == 0)
    }
}
