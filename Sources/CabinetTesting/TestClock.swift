public import Foundation

// Unchecked, and safe: the lock guards the date.
/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let container = try Container(identifier: "com.example.notes", backend: backend, now: clock.now)
/// clock.advance(by: 60)
/// ```
public final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var date: Date

    /// Creates a clock.
    ///
    /// - Parameter date: The date that the clock shows. The default is a date in 2026 whose fraction uses every bit of
    ///   a `Date`.
    public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 790_000_000.123456789)) {
        self.date = date
    }

    /// Returns the date that the clock shows.
    public func now() -> Date {
        lock.withLock { date }
    }

    /// Advances the clock.
    ///
    /// - Parameter seconds: The number of seconds to advance by.
    /// - Returns: The new date.
    @discardableResult
    public func advance(by seconds: TimeInterval = 1) -> Date {
        lock.withLock {
            date += seconds
            return date
        }
    }
}
