import Synchronization

/// How far some work is: told by whoever does it, on any thread, and shown by the console.
package final class ActivityProgress: Sendable {
    private let fraction = Mutex<Double?>(nil)

    /// Tells that this much is done, from 0 to 1.
    package func report(_ done: Double) {
        guard done.isFinite else { return }
        fraction.withLock { $0 = done }
    }

    /// How much is done as a person reads it; `nil` if nobody has told.
    var percentage: String? {
        fraction.withLock { $0 }.map { "\(Int((Swift.min(Swift.max($0, 0), 1) * 100).rounded(.down))) %" }
    }
}
