public import Foundation
import Synchronization

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let container = try Container(
///     identifier: "com.example.notes", backend: backend, now: clock.now)
/// clock.advance(by: 60)
/// ```
public final class TestClock: Sendable {
    private let date: Mutex<Date>

    /// Creates a clock.
    ///
    /// - Parameter date: The date that the clock shows. The default is a date in 2026 whose fraction uses every bit of
    ///   a `Date`.
    public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 790_000_000.123456789)) {
        self.date = Mutex(date)
    }

    /// Returns the date that the clock shows.
    public func now() -> Date {
        date.withLock(\.self)
    }

    /// Advances the clock.
    ///
    /// - Parameter seconds: The number of seconds to advance by.
    /// - Returns: The new date.
    @discardableResult
    public func advance(by seconds: TimeInterval = 1) -> Date {
        date.withLock { date in
            date += seconds
            return date
        }
    }
}
