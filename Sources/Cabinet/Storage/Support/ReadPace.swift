import Synchronization

/// How long reads take lately, which tells whether it is any use to look out for an answer before one is suspended.
///
/// Who looks keeps a processor busy. That pays where the answer comes so soon that to be resumed would take longer.
package final class ReadPace: Sendable {
    /// The mean of the last reads, in nanoseconds.
    ///
    /// Two who note theirs at once may lose one, which does not matter.
    private let average = Atomic<Int64>(0)
    private let shortestTime: Duration

    /// How long one looks at most.
    private static let longestTime: Int64 = 150_000
    /// How many reads the mean is of, roughly.
    private static let length: Int64 = 8

    /// Creates a pace of which nothing is known yet.
    ///
    /// - Parameter shortestTime: How long to look even if most answers come too late for that.
    package init(shortestTime: Duration = .zero) {
        self.shortestTime = shortestTime
    }

    /// Notes how long a read has taken.
    func note(_ duration: Duration) {
        // A single one that took very long shall not count for long.
        let time = min(max(Int64(duration / .nanoseconds(1)), 0), 4 * Self.longestTime)
        let old = average.load(ordering: .relaxed)
        average.store(old + (time - old) / Self.length, ordering: .relaxed)
    }

    /// How long to look for the next answer.
    var lookingTime: Duration {
        average.load(ordering: .relaxed) < Self.longestTime ? .nanoseconds(Self.longestTime) : shortestTime
    }
}
