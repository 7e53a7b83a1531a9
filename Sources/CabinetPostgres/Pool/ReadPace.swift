import Synchronization

/// How long reads take lately, which tells whether it is any use to look out for an answer before one is suspended.
///
/// Who looks keeps a processor busy. That pays where the answer comes so soon that to be resumed would take longer.
final class ReadPace: Sendable {
    /// The mean of the last reads, in nanoseconds.
    ///
    /// Two who note theirs at once may lose one, which does not matter.
    private let average = Atomic<Int64>(0)

    /// How long one looks at most.
    private static let lookingTime: Int64 = 150_000
    /// How many reads the mean is of, roughly.
    private static let length: Int64 = 8

    /// Notes how long a read has taken.
    func note(_ duration: Duration) {
        // A single one that took very long shall not count for long.
        let time = min(max(Int64(duration / .nanoseconds(1)), 0), 4 * Self.lookingTime)
        let old = average.load(ordering: .relaxed)
        average.store(old + (time - old) / Self.length, ordering: .relaxed)
    }

    /// How long to look for the next answer; zero if it will hardly come in time.
    var lookingTime: Duration {
        average.load(ordering: .relaxed) < Self.lookingTime ? .nanoseconds(Self.lookingTime) : .zero
    }
}
