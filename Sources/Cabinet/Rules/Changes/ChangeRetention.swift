public import Foundation

/// The limits up to which a store remembers deletions of records and of zones, and notifications.
///
/// A ``ServerChangeToken`` from before a forgotten deletion fails with ``CabinetError/Code/changeTokenExpired``, and the client
/// begins again without a token. A token of a zone fails after the deletion of a record, one of the database after that of a zone. A
/// remembered deletion of a record takes about 100 bytes, that of a zone about 200.
public struct ChangeRetention: Sendable, Hashable {
    /// The time for which deletions and notifications are remembered, in seconds.
    ///
    /// With infinity or NaN, there is no time limit. A process whose clock is more than 30 days ahead of the store's last cleanup
    /// forgets nothing by age. Its clock is believed 30 days later, unless a cleanup with an earlier clock came in between.
    public var age: TimeInterval

    /// The number of last deletions that are remembered: of records in each zone, and of zones in each database; and of last notifications of
    /// each user.
    ///
    /// A zone that is created and deleted again counts once.
    public var count: Int

    /// Creates a retention.
    ///
    /// A store forgets old deletions and notifications now and then after it has recorded new ones, so it may remember more of
    /// them for a while, usually up to a quarter more than the count.
    ///
    /// - Parameters:
    ///   - age: The time for which they are remembered, in seconds; by default 180 days.
    ///   - count: The number of deletions to remember in each zone, of zones to remember in each database, and of notifications of
    ///     each user; by default a million.
    public init(age: TimeInterval = 180 * 86_400, count: Int = 1_000_000) {
        self.age = age
        self.count = count
    }

    /// Returns the date before which deletions are too old.
    ///
    /// Every store can compare this date. NaN as an age would otherwise compare as less than all dates, and forget everything.
    func oldestDate(at date: Date) -> Date {
        let oldest = date - age
        if oldest.timeIntervalSinceReferenceDate.isNaN { return .distantPast }
        return min(max(oldest, .distantPast), .distantFuture)
    }

    /// Whether a cleanup by age is due when these sequence numbers are assigned.
    func isDueByAge(from first: Int64, to last: Int64) -> Bool {
        isReached(every: min(interval, 1024), from: first, to: last)
    }

    /// Whether a cleanup by count is due when these sequence numbers are assigned.
    ///
    /// Counting takes time in proportion to the count, so it is due once for each quarter of it.
    func isDueByCount(from first: Int64, to last: Int64) -> Bool {
        isReached(every: interval, from: first, to: last)
    }

    private var interval: Int64 { Int64(max(count / 4, 1)) }

    private func isReached(every interval: Int64, from first: Int64, to last: Int64) -> Bool {
        first / interval != (last + 1) / interval || interval == 1
    }
}
