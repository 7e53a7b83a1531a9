public import Foundation

/// How long a store remembers what was deleted, and notifications that nobody may have fetched yet.
///
/// Who has a ``ServerChangeToken`` from before a deletion that is not remembered any more gets
/// ``CabinetError/Code/changeTokenExpired``, and begins again without a token. A remembered deletion takes about 100 bytes.
public struct ChangeRetention: Sendable, Hashable {
    /// For how long deletions and notifications are remembered, in seconds.
    ///
    /// Infinity, and what is no number, mean that nothing is ever too old.
    public var age: TimeInterval

    /// How many deletions are remembered in each zone, and how many notifications of each user, the last ones.
    public var count: Int

    /// Creates a retention.
    ///
    /// Old ones are forgotten when new ones are made, every now and then, so that more of them may be remembered for a while.
    ///
    /// - Parameters:
    ///   - age: For how long they are remembered, in seconds; by default 180 days.
    ///   - count: How many deletions are remembered in each zone, and notifications of each user; by default a million.
    public init(age: TimeInterval = 180 * 86_400, count: Int = 1_000_000) {
        self.age = age
        self.count = count
    }

    /// The date that everything is younger than that is not too old at another one.
    ///
    /// A date that a store can compare, whatever the age is: what is no number is less than nothing, and would be as old as all.
    func oldestDate(at date: Date) -> Date {
        let oldest = date - age
        if oldest.timeIntervalSinceReferenceDate.isNaN { return .distantPast }
        return min(max(oldest, .distantPast), .distantFuture)
    }

    /// Whether it is time to forget old deletions, when these sequence numbers are given out.
    func isDue(from first: Int64, to last: Int64) -> Bool {
        let interval = Int64(min(max(count / 4, 1), 1024))
        return first / interval != (last + 1) / interval || interval == 1
    }
}
