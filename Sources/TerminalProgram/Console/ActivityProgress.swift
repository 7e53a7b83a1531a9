import Synchronization

/// The progress of some work: reported from any thread, and shown by the console.
package final class ActivityProgress: Sendable {
    private let latest = Mutex<String?>(nil)
    private let show: @Sendable (String) -> Void

    /// Creates an unknown progress.
    ///
    /// - Parameter show: Shows the progress after each change.
    init(show: @escaping @Sendable (String) -> Void) {
        self.show = show
    }

    /// Reports the completed fraction, from 0 to 1.
    package func report(_ done: Double) {
        guard done.isFinite else { return }
        let percentage = "\(Int((Swift.min(Swift.max(done, 0), 1) * 100).rounded(.down))) %"
        let isNew = latest.withLock { latest in
            defer { latest = percentage }
            return latest != percentage
        }
        if isNew { show(percentage) }
    }

    /// The progress for display; `nil` if none was reported.
    var percentage: String? { latest.withLock { $0 } }
}
