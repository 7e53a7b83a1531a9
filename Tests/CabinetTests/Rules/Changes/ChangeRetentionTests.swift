import Foundation
import Testing

@testable import Cabinet

@Suite("The retention of deletions")
struct ChangeRetentionTests {
    private static let now = Date(timeIntervalSinceReferenceDate: 790_000_000)

    @Test(
        "An age becomes a date that every store can compare",
        arguments: [
            (100, Date(timeIntervalSinceReferenceDate: 789_999_900)), (0, now), (.nan, .distantPast),
            (-.nan, .distantPast), (.infinity, .distantPast), (1e300, .distantPast), (-.infinity, .distantFuture),
        ] as [(TimeInterval, Date)])
    func oldestDate(age: TimeInterval, expected: Date) {
        #expect(ChangeRetention(age: age).oldestDate(at: Self.now) == expected)
    }

    @Test("A cleanup by age is due every 1024 numbers at least, and one by count at each quarter of the count")
    func intervals() {
        func numbers(of retention: ChangeRetention) -> (byAge: [Int64], byCount: [Int64]) {
            let numbers = 1...Int64(6000)
            return (
                numbers.filter { retention.isDueByAge(from: $0, to: $0) },
                numbers.filter { retention.isDueByCount(from: $0, to: $0) }
            )
        }
        #expect(numbers(of: ChangeRetention(count: 10_000)) == ([1023, 2047, 3071, 4095, 5119], [2499, 4999]))
        #expect(numbers(of: ChangeRetention(count: 8000)) == ([1023, 2047, 3071, 4095, 5119], [1999, 3999, 5999]))
        #expect(numbers(of: ChangeRetention(count: -1)) == (Array(1...6000), Array(1...6000)))
    }
}
