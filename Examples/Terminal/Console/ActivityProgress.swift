import Synchronization

/// How far some work is: told by whoever does it, on any thread, and shown by the console.
package final class ActivityProgress: Sendable {
    private let latest = Mutex<String?>(nil)
    private let show: @Sendable (String) -> Void

    /// Begins with nothing known.
    ///
    /// - Parameter show: Shows how much is done, whenever that has changed.
    init(show: @escaping @Sendable (String) -> Void) {
        self.show = show
    }

    /// Tells that this much is done, from 0 to 1.
    package func report(_ done: Double) {
        guard done.isFinite else { return }
        let percentage = "\(Int((Swift.min(Swift.max(done, 0), 1) * 100).rounded(.down))) %"
        let isNew = latest.withLock { latest in
            defer { latest = percentage }
            return latest != percentage
        }
        if isNew { show(percentage) }
    }

    /// How much is done as a person reads it; `nil` if nobody has told.
    var percentage: String? { latest.withLock { $0 } }
}
