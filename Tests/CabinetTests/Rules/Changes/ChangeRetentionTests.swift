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
}
