import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Filters that are too large for SQL still have results.
@Suite struct LargeFilterTests {
    private static let fields: FieldTypes = ["n": .int64, "s": .string]

    private func store() async throws -> Store {
        let store = Store()
        try await store.insert(
            (0..<100).map {
                StoredRecord(String(format: "r%03d", $0), [("n", .int64($0)), ("s", .string("text \($0)"))])
            })
        return store
    }

    private func matches(_ filter: Filter, _ store: Store) async throws -> [String] {
        let plan = try QueryPlan(recordType: "Items", filter: filter, fields: Self.fields)
        let page = try await store.backend.read(.public) { try await $0.records(matching: plan) }
        #expect(try await store.backend.read(.public) { try await $0.count(matching: plan) } == page.count)
        return page.map(\.recordID.recordName)
    }

    private func equal(_ number: Int) -> Filter {
        .comparison(Filter.Comparison(.field("n"), .equal, .constant(.int64(Int64(number)))))
    }

    @Test(arguments: [8, 9, 400, 1000, 5000])
    func manyAlternatives(count: Int) async throws {
        let store = try await store()
        #expect(
            try await matches(.or((0..<count).map { equal($0 * 7) }), store)
                == (0..<100).filter { $0 % 7 == 0 && $0 < count * 7 }.map { String(format: "r%03d", $0) })
        #expect(
            try await matches(.and((0..<count).map { .not(equal($0 * 2)) }), store)
                == (0..<100).filter { $0 % 2 == 1 || $0 >= count * 2 }.map { String(format: "r%03d", $0) })
    }

    @Test(arguments: [1, 2, 3, 1000, 29_000, 50_000])
    func longLists(count: Int) async throws {
        let store = try await store()
        let list = Filter.Expression.constant(.list(.int64((0..<Int64(count)).map { $0 * 50 })))
        #expect(
            try await matches(.comparison(Filter.Comparison(.field("n"), .in, list)), store)
                == (count == 1 ? ["r000"] : ["r000", "r050"]))
    }

    @Test(arguments: [2, 20, 24, 30, 60, 90])
    func deepNesting(depth: Int) async throws {
        let store = try await store()
        var filter = equal(5)
        for level in 0..<depth {
            filter =
                level % 3 == 0
                ? .not(filter)
                : level % 3 == 1 ? .and([filter, .constant(true), equalOrNot()]) : .or([filter, equal(-1)])
        }
        let records = try await store.backend.read(.public) {
            try await $0.records(matching: QueryPlan(recordType: "Items", filter: .constant(true), fields: Self.fields))
        }
        let plan = try QueryPlan(recordType: "Items", filter: filter, fields: Self.fields)
        #expect(try await matches(filter, store) == (try plan.page(of: records)).map(\.recordID.recordName))
    }

    /// SQLite's parser limits the depth of expressions of every kind.
    @Test(arguments: [5, 11, 12, 17, 24, 60])
    func deepExpressions(depth: Int) async throws {
        let store = try await store()
        for operation in Filter.Arithmetic.allCases {
            var (left, right) = (Filter.Expression.field("n"), Filter.Expression.field("n"))
            for _ in 0..<depth {
                left = .arithmetic(left, operation, .constant(.int64(1)))
                right = .arithmetic(.constant(.int64(1)), operation, right)
            }
            for operand in [left, right] {
                _ = try await matches(.comparison(Filter.Comparison(operand, .equal, .constant(.int64(1)))), store)
                _ = try await matches(.not(.comparison(Filter.Comparison(operand, .lessThan, operand))), store)
            }
        }
        let fields = FieldTypes(
            of: "Items",
            in: StoredSchema(recordTypes: ["Items": ["n": .int64, "s": .string], "Others": ["s": .string]]))
        let path = Array(repeating: "parent", count: min(depth, 31)).joined(separator: ".") + ".s"
        let text = Filter.Comparison(.field(path), .equal, .constant(.string("x")), options: .caseInsensitive)
        let plan = try QueryPlan(
            recordType: "Items", filter: .and([.comparison(text), .comparison(text)]),
            order: [Sort("n"), Sort(path, options: .numeric), Sort("s")], limit: 5, fields: fields)
        #expect(try await store.backend.read(.public) { try await $0.records(matching: plan) }.isEmpty)
    }

    private func equalOrNot() -> Filter { .or([equal(5), .not(equal(5))]) }

    /// Lists of many lengths share a few statements.
    @Test func statementsAreShared() async throws {
        let store = try await store()
        for _ in 0..<2 {
            for count in 1...60 {
                _ = try await matches(
                    .comparison(
                        Filter.Comparison(.field("n"), .in, .constant(.list(.int64((0..<Int64(count)).map { $0 }))))),
                    store)
            }
        }
        for position in 0..<200 { _ = try await matches(equal(position), store) }
        let prepared =
            store.backend.files.openFile(.public)?.readers.idleResources.map(\.preparations).reduce(0, +) ?? 0
        #expect((1...40).contains(prepared), "\(prepared)")
    }
}
