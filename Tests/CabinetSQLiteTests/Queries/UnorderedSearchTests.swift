import Cabinet
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Pages are the same, in both cases: SQLite finds them in their order, or they are sorted afterwards.
@Suite struct UnorderedSearchTests {
    private static let fields: FieldTypes = ["name": .string, "number": .int64, "rare": .int64, "price": .double]

    private func store() async throws -> (store: Store, records: [StoredRecord]) {
        let store = Store()
        let made = (0..<3000).map { number in
            var fields: [(String, FieldValue)] = [
                ("number", .int64(Int64(number % 7))), ("rare", .int64(number < 1500 ? 0 : Int64(number))),
                ("name", .string("\(number * 7919 % 100) of many")),
            ]
            if number % 5 > 0 { fields.append(("price", .double(Double(number % 11) / 4 - 1))) }
            return StoredRecord("item\(number * 7919 % 10_007)", fields)
        }
        return (store, try await store.insert(made))
    }

    private func check(
        _ plan: QueryPlan, times: Int = 3, _ store: Store, _ records: [StoredRecord],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = try plan.page(of: records)
        for _ in 0..<times {
            let found = try await store.backend.read(.public) { try await $0.records(matching: plan) }
            #expect(found == expected, "\(plan.filter)", sourceLocation: sourceLocation)
        }
    }

    private func plan(
        _ filter: Filter, _ order: [Sort] = [], limit: Int = 50, keys: [String]? = nil
    ) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", filter: filter, order: order, limit: limit, keys: keys, fields: Self.fields)
    }

    @Test func fewOfMany() async throws {
        let (store, records) = try await store()
        for number in [2000, 2001, 5000, 0, 2002, 0, 0, 0, 0, 0, 2003] {
            try await check(plan(.field("rare") == number), times: 1, store, records)
        }
        try await check(plan(.field("rare") > 2990, keys: ["number"]), store, records)
        for number in 0..<8 { try await check(plan(.field("number") == number, limit: 500), store, records) }
    }

    /// Statistics of a store with one zone do not apply to two zones.
    @Test func anotherZone() async throws {
        let (store, records) = try await store()
        let all = try plan(.field("rare") == 2000)
        let rare = try all.with { $0.zoneID = .default }
        try await check(rare, store, records)
        let zoneID = RecordZone.ID(zoneName: "other")
        let other = try await store.insert([
            StoredRecord(
                recordID: RecordID(recordName: "aside", zoneID: zoneID), recordType: "Items", sequenceNumber: 0,
                creationDate: .distantPast, creatorName: "_c", modificationDate: .distantPast, lastModifierName: "_c",
                fields: FieldValues(names: FieldNames(["rare"]), values: [.int64(2000)]))
        ])
        try await check(rare, store, records + other)
        try await check(all, store, records + other)
    }

    @Test func sorted() async throws {
        let (store, records) = try await store()
        let orders: [[Sort]] = [
            [Sort("name")], [Sort("name", ascending: false)], [Sort("number"), Sort("name", ascending: false)],
            [Sort("price")], [Sort("price", ascending: false), Sort("number")], [Sort("name", options: .numeric)],
            [Sort("creationDate"), Sort("rare")],
        ]
        for order in orders {
            for filter in [Filter.field("rare") > 2950, .field("rare") > 2980, .field("number") == 3] {
                try await check(plan(filter, order, limit: 30), store, records)
            }
            try await check(plan(.field("rare") > 2980, order, keys: order.map(\.key)), store, records)
            try await check(plan(.field("rare") > 2980, order, keys: []), store, records)
        }
    }

    /// A damaged row fails only the pages that contain it.
    @Test func damagedRow() async throws {
        let (store, records) = try await store()
        try store.sql("UPDATE Items SET price = 'much' WHERE rare = 2999")
        let last = try #require(records.last)
        let others = records.filter { $0.recordID != last.recordID }
        try await check(plan(.field("rare") > 2990, [Sort("rare")], limit: 5), store, others)
        let damaged = try plan(.field("rare") > 2990, [Sort("rare", ascending: false)], limit: 5)
        for _ in 0..<3 {
            await #expect(throws: CabinetError.self) {
                try await store.backend.read(.public) { try await $0.records(matching: damaged) }
            }
        }
    }
}
