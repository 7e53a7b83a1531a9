import Foundation
import Testing

@testable import Cabinet

@Suite("Sort ranks approximate the order of values")
struct SortRankTests {
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

    @Test("Ordered values have ranks in their order, and nil has the lowest")
    func laws() {
        for left in Self.values {
            #expect(left.sortRank > FieldValue.sortRankOfNil)
            for right in Self.values where FieldValue.sortOrder(left, right) != .after {
                #expect(left.sortRank <= right.sortRank, "\(left), \(right)")
            }
        }
    }
}
