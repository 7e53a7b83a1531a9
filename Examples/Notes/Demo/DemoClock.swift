import Foundation
import Synchronization

/// A clock that stands still until it is advanced, so that the story is the same every time.
final class DemoClock: Sendable {
    private let date: Mutex<Date>

    init() {
        // In the user's own time zone, in which dates are shown.
        let components = DateComponents(year: 2026, month: 3, day: 14, hour: 9, minute: 26, second: 53)
        date = Mutex(Calendar(identifier: .gregorian).date(from: components) ?? .distantPast)
    }

    /// The current time of the clock.
    var now: @Sendable () -> Date { { [self] in date.withLock { $0 } } }

    func advance(by seconds: TimeInterval) {
        date.withLock { $0 += seconds }
    }
}
