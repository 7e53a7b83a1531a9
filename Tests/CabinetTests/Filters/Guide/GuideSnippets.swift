import Cabinet
import Foundation
import Testing

@Suite("The guide to filters: its programs run, and find what they say")
struct GuideSnippets {
    private let list: Record
    private let database: Database

    init() async throws {
        let container = try Container(
            identifier: "com.example.guide", backend: MemoryBackend())
        let database = container.privateDatabase
        var list = Record(recordType: "Lists")
        list["name"] = "Groceries"
        list = try await database.save(list)
        for (name, number, price) in [
            ("Milk", 5, 1.5), ("Bread", 1, 3), ("Wine", 7, 8),
        ] {
            var item = Record(recordType: "Items")
            item["name"] = name
            item["number"] = number
            item["price"] = price
            item["status"] = number > 3 ? "many" : "few"
            item["due"] = Date(timeIntervalSinceReferenceDate: price)
            item["list"] = Reference(record: list, action: .deleteSelf)
            try await database.save(item)
        }
        self.list = list
        self.database = database
    }

    @Test func bothSpellings() async throws {
        func parsed() throws -> Filter {
            // snippet: format
            let filter = try Filter("list == %@ AND number > %d", list, 3)
            // end
            return filter
        }
        // snippet: swift
        let filter: Filter = .field("list") == list && .field("number") > 3
        // end
        #expect(try filter == parsed())
        // snippet: use
        let items = try await database.allRecords(
            matching: Query(recordType: "Items", filter: filter))
        let areShown = try items.map { try filter.matches($0) }
        // end
        #expect(items.compactMap { $0["name"] as? String } == ["Milk", "Wine"])
        #expect(areShown == [true, true])
    }

    @Test func variables() async throws {
        // snippet: variables
        let cheap = try Filter("list == $list AND price < $limit")
        let filter = cheap.substituting(["list": list, "limit": 5])
        // end
        #expect(cheap.variables == ["list", "limit"])
        #expect(
            try await database.count(
                matching: Query(recordType: "Items", filter: filter)) == 2)
    }

    @Test func paths() async throws {
        // snippet: resolving
        let filter = try Filter("list.name == 'Groceries'")
        let lists = [list.recordID: list]
        let items = try await database.allRecords(
            matching: Query(recordType: "Items"))
        let areShown = try items.map { try filter.matches($0) { lists[$0] } }
        // end
        #expect(areShown == [true, true, true])
    }

    @Test func pages() async throws {
        let query = Query(recordType: "Items")
        var found = 0
        // snippet: sorting
        let sorted = Query(
            recordType: "Items", sortedBy: [.descending("number"), "name"])
        // end
        // snippet: pages
        var (matchResults, queryCursor) = try await database.records(
            matching: query, resultsLimit: 2)
        while let cursor = queryCursor {
            found += matchResults.count
            (matchResults, queryCursor) = try await database.records(
                continuingMatchFrom: cursor, resultsLimit: 2)
        }
        // end
        #expect(found + matchResults.count == 3)
        let names = try await database.allRecords(matching: sorted).compactMap {
            $0["name"] as? String
        }
        #expect(names == ["Wine", "Milk", "Bread"])
    }

    @Test func aggregates() async throws {
        let query = Query(recordType: "Items")
        // snippet: aggregates
        let count = try await database.count(matching: query)
        let isThere = try await database.exists(matching: query)
        let total = try await database.sum(of: "price", matching: query)
        let pieces = try await database.sum(
            of: "number", matching: query, as: Int.self)
        let mean = try await database.average(of: "price", matching: query)
        let earliest = try await database.minimum(of: "due", matching: query) as? Date
        let last =
            try await database.maximum(of: "list.name", matching: query) as? String
        for (status, count) in try await database.counts(
            by: "status", matching: query)
        {
            print(status as? String ?? "no status", count)
        }
        // end
        #expect(
            count == 3 && isThere && total == 12.5 && pieces == 13 && mean == 12.5 / 3
        )
        #expect(
            earliest == Date(timeIntervalSinceReferenceDate: 1.5)
                && last == "Groceries")
    }

    @Test func groups() async throws {
        let query = Query(recordType: "Items")
        // snippet: groups
        for (status, total) in try await database.sums(
            of: "price", by: "status", matching: query)
        {
            print(status as? String ?? "no status", total)
        }
        let cheapest = try await database.minima(
            of: "price", by: "list.name", matching: query)
        // end
        #expect(cheapest.map { $0.value as? String } == ["Groceries"])
        #expect(cheapest.map { $0.minimum as? Double } == [1.5])
    }

    @Test func explanation() async throws {
        // snippet: explain
        let query = Query(
            recordType: "Items", filter: .field("list") == list,
            sortedBy: [Sort("name")])
        print(try await database.explain(query))
        // end
        #expect(
            try await database.explain(query).access == [
                .index(name: "references", fields: ["list"])
            ])
    }
}
