import Foundation
import Testing

@testable import Cabinet

@Suite("Ranks: what can be told of values without a look at them")
struct RankTests {
    private static let values: [FieldValue] = {
        let texts = [
            "", "\0", "a", "a\0", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgi", "é", "e\u{301}", "👩",
            "\u{10FFFF}",
        ]
        let wholes: [Int64] = [
            0, 1, -1, 2, .min, .min + 1, .max, .max - 1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 255, 256,
        ]
        let numbers = [
            0, -0.0, 0.5, -0.5, 1, 2, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
            9_007_199_254_740_992,
            0x1p63, -0x1p63, 1.nextUp,
        ]
        let name = RecordZone.ID(zoneName: "zone")
        let references = ["a", "b", "0197C1A0-0000-7000-8000-000000000010", "0197C1A0-0000-7000-8000-000000000011"]
            .flatMap {
                [
                    Reference(recordID: RecordID(recordName: $0), action: .none),
                    Reference(recordID: RecordID(recordName: $0), action: .deny),
                    Reference(recordID: RecordID(recordName: $0, zoneID: name), action: .none),
                ]
            }
        let location = Location(latitude: 1, longitude: 2)
        return texts.map { .string($0) } + wholes.map { .int64($0) } + numbers.map { .double($0) }
            + numbers.filter { !$0.isNaN }.map { .timestamp(Date(timeIntervalSinceReferenceDate: $0)) }
            + texts.map { .bytes(Data($0.utf8)) } + references.map { .reference($0) }
            + [.location(location), .list(.int64([])), .list(.int64([1])), .list(.string(["a"]))]
    }()

    @Test("Equal values have the same rank, ordered ones ranks in their order, and nil has one of its own")
    func laws() {
        for left in Self.values {
            #expect(left.rank > FieldValue.rankOfNil)
            #expect(left.ranksOfKind.contains(left.rank))
            for right in Self.values {
                if left.isEqual(to: right) { #expect(left.rank == right.rank, "\(left), \(right)") }
                if left.compared(to: right) == .before { #expect(left.rank <= right.rank, "\(left), \(right)") }
                if FieldValue.sortOrder(left, right) == .before {
                    #expect(left.sortingRank <= right.sortingRank, "\(left), \(right)")
                }
                if left.compared(to: right) != nil { #expect(left.ranksOfKind == right.ranksOfKind) }
            }
        }
    }

    @Test("What an operator accepts lies within the ranks that it names")
    func operators() throws {
        for `operator` in Filter.Operator.allCases {
            let rule = `operator`.rule
            for right in [FilterValue.nothing] + Self.values.map(FilterValue.single) + [
                .list([]), .list([.nothing]), .list([.single(.int64(-1)), .single(.double(2.5))]),
                .list([.single(.double(2.5)), .single(.int64(-1))]),
                .list([.single(.string("a")), .single(.int64(1)), .nothing]),
                .list([.list([.single(.int64(1))])]),
            ] {
                guard let ranks = rule.ranks(comparedWith: right) else { continue }
                // One that takes other types alone throws; validation has refused such a field.
                for left in Self.values where (try? rule.holds(.single(left), right)) == true {
                    #expect(ranks.contains(left.rank), "\(left) \(rule.symbol) \(right)")
                }
                if try rule.holds(.nothing, right) { #expect(ranks.contains(FieldValue.rankOfNil)) }
            }
        }
    }

    @Test(
        "A filter bounds the fields of its first comparisons, up to the first that may fail",
        arguments: [
            ("n == 1", ["n"]), ("1 == n", []), ("n == m", []), ("n == 1 + 1", []), ("n != 1", []),
            ("s BEGINSWITH 'a'", ["s"]), ("s ENDSWITH 'a'", []),
            ("n == 1 AND m < 2", ["n", "m"]), ("n == 1 AND s CONTAINS 'a' AND m < 2", ["n"]),
            ("s CONTAINS 'a' AND n == 1", []), ("n == 1 AND (m == 2 AND s CONTAINS 'a') AND s == 'b'", ["n", "m"]),
            ("n == 1 OR m == 2", []), ("NOT n == 1", []), ("s ==[c] 'a'", []), ("ANY l == 1", []), ("r.n == 1", []),
            ("creationDate == NIL", []), ("other == 1", []), ("n IN {1, 2}", ["n"]),
            ("n BETWEEN {1, 2}", ["n"]),
            ("n IN {1, m}", []),
        ])
    func bounds(text: String, keys: [String]) throws {
        let fields: FieldTypes = [
            "n": .int64, "m": .int64, "s": .string, "r": .reference, "l": .list(of: .int64),
        ]
        #expect(try Filter(text).rankBounds(fields: fields).map(\.key) == keys)
    }
}
