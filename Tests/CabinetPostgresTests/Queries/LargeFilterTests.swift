import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Filters that are too large for SQL, or hostile, still have results.
@Suite struct LargeFilterTests {
    private static let fields: FieldTypes = ["n": .int64, "s": .string, "list": .reference]

    /// A store of 100 records that each refer to themselves.
    private func store() async throws -> PostgresBackend {
        let backend = try await Stores.cheapBackend(Stores.configuration())
        try await backend.write(.public) {
            _ = try await $0.insertWithSchema(
                (0..<100).map { number in
                    let name = String(format: "r%03d", number)
                    return StoredRecord(
                        name,
                        [
                            ("n", .int64(Int64(number))), ("s", .string("text \(number)")),
                            ("list", .reference(Reference(name))),
                        ])
                })
        }
        return backend
    }

    private func matches(
        _ filter: Filter, _ store: PostgresBackend, by order: [Sort] = []
    ) async throws -> [String] {
        let fields = FieldTypes(of: "Items", in: StoredSchema(recordTypes: ["Items": Self.fields.own]))
        let plan = try QueryPlan(recordType: "Items", filter: filter, order: order, fields: fields)
        let names = try await store.names(plan)
        #expect(try await store.count(plan) == names.count)
        return names
    }

    private func equal(_ number: Int) -> Filter {
        .comparison(Filter.Comparison(.field("n"), .equal, .constant(.int64(Int64(number)))))
    }

    private func names(_ numbers: some Sequence<Int>) -> [String] { numbers.map { String(format: "r%03d", $0) } }

    @Test func manyAlternatives() async throws {
        let store = try await store()
        for count in [8, 400, 2000] {
            let any = Filter.or((0..<count).map { equal($0 * 7) })
            #expect(try await matches(any, store) == names((0..<100).filter { $0 % 7 == 0 && $0 < count * 7 }))
            let none = Filter.and((0..<count).map { .not(equal($0 * 2)) })
            #expect(try await matches(none, store) == names((0..<100).filter { $0 % 2 == 1 || $0 >= count * 2 }))
        }
    }

    @Test func longLists() async throws {
        let store = try await store()
        for count in [1, 2, 1000, 50_000] {
            let list = Filter.Expression.constant(.list(.int64((0..<Int64(count)).map { $0 * 50 })))
            let found = try await matches(.comparison(Filter.Comparison(.field("n"), .in, list)), store)
            #expect(found == (count == 1 ? ["r000"] : ["r000", "r050"]))
        }
        let texts = Filter.Expression.list((0..<40_000).map { .constant(.string("text \($0 * 10)")) })
        let plain = Filter.comparison(Filter.Comparison(.field("s"), .in, texts))
        let folded = Filter.comparison(Filter.Comparison(.field("s"), .in, texts, options: [.caseInsensitive]))
        let far = Filter.comparison(Filter.Comparison(.field("list.s"), .in, texts))
        #expect(try await matches(plain, store).count == 10)
        #expect(try await matches(folded, store).count == 10)
        #expect(try await matches(.not(far), store).count == 90)
    }

    @Test func deepNesting() async throws {
        let store = try await store()
        for depth in [20, 60, 90] {
            var filter = equal(5)
            for level in 0..<depth {
                filter =
                    level % 3 == 0
                    ? .not(filter)
                    : level % 3 == 1
                        ? .and([filter, .constant(true), .or([equal(5), .not(equal(5))])])
                        : .or([filter, equal(-1)])
            }
            #expect(try await matches(filter, store).count == ((depth + 2) / 3 % 2 == 0 ? 1 : 99), "\(depth)")
        }
    }

    @Test func deepExpressions() async throws {
        let store = try await store()
        for depth in [5, 24] {
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
        }
        let path = [String](repeating: "list", count: 99).joined(separator: ".") + ".n"
        let far = Filter.comparison(Filter.Comparison(.field(path), .equal, .constant(.int64(3))))
        #expect(try await matches(far, store, by: [Sort(path)]) == ["r003"])
        let short = [String](repeating: "list", count: 8).joined(separator: ".") + ".n"
        let near = Filter.comparison(Filter.Comparison(.field(short), .equal, .constant(.int64(3))))
        #expect(try await matches(.or([far, near]), store, by: [Sort(short)]) == ["r003"])
    }

    /// A prefix of the pattern occurs again and again in the text; the time must not be the product of both lengths.
    @Test(.timeLimit(.minutes(15))) func longTextsAreSearchedInLinearTime() async throws {
        let store = try await store()
        let part = String(repeating: "a", count: 100_000)
        try await store.write(.public) {
            _ = try await $0.insertWithSchema([StoredRecord("long", [("s", .string(part + part))])])
        }
        #expect(try await matches(try Filter("s CONTAINS %@", part + "b"), store).isEmpty)
        #expect(try await matches(try Filter("s CONTAINS %@", part), store) == ["long"])
        #expect(try await matches(try Filter("s LIKE %@", "*a*a*a*a*a*a*a*b"), store).isEmpty)
    }

    @Test(arguments: ["a\"b", "a'b", "a b", "n\"; DROP TABLE x; --", "ünï", "$1", "___database", "tableoid"])
    func namesOfStrangers(name: String) async throws {
        let store = try await store()
        for filter in [
            Filter.comparison(Filter.Comparison(.field(name), .equal, .constant(.int64(1)))),
            Filter.comparison(Filter.Comparison(.field("list.\(name)"), .equal, .constant(.string(name)))),
        ] {
            _ = try? await matches(filter, store, by: [Sort(name)])
        }
        #expect(try await matches(.constant(true), store).count == 100)
    }
}
