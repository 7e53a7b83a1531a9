import Cabinet

/// The delays between the attempts of a request: exponential, with jitter, for a limited time.
struct RetryPolicy {
    private let end: ContinuousClock.Instant
    private var delay = 0.1

    /// The longest delay that the policy chooses itself, in seconds.
    private static let longestDelay = 5.0

    init(limit: Duration) {
        end = .now + limit
    }

    /// Returns the delay before the next attempt, or `nil` if there is no time for it.
    ///
    /// - Parameter minimum: The seconds that the server asks to wait.
    mutating func nextDelay(atLeast minimum: Double?) -> Duration? {
        // Clients that a restart has interrupted together come back one after the other.
        // A server can send NaN.
        let wait = minimum.map { $0 > 0 ? min($0, 86_400) : 0 } ?? 0
        let seconds = Double.random(in: delay / 2...delay) + wait
        delay = min(delay * 2, Self.longestDelay)
        return .now + .seconds(seconds) < end ? .seconds(seconds) : nil
    }
}
