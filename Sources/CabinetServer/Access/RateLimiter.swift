import Synchronization

/// The number of requests that each client may send: a bucket of tokens for each, which fills up again.
final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var date: ContinuousClock.Instant
    }

    private let rate: RequestLimits.Rate
    private let buckets = Mutex<[String: Bucket]>([:])

    /// The number of clients that are remembered.
    private static let maximumCount = 65_536

    init(_ rate: RequestLimits.Rate) {
        self.rate = rate
    }

    /// Takes tokens of a client.
    ///
    /// - Returns: The number of seconds after which the client may try again; `nil` if it had enough tokens.
    func take(_ cost: Double = 1, of client: String, at now: ContinuousClock.Instant = .now) -> Double? {
        buckets.withLock { buckets in
            var bucket = buckets[client] ?? Bucket(tokens: rate.burst, date: now)
            refill(&bucket, at: now)
            defer {
                if buckets.count >= Self.maximumCount, buckets[client] == nil { shrink(&buckets, at: now) }
                buckets[client] = bucket
            }
            guard bucket.tokens >= 1 else { return max((1 - bucket.tokens) / rate.perSecond, 0.001) }
            bucket.tokens -= cost
            return nil
        }
    }

    private func refill(_ bucket: inout Bucket, at now: ContinuousClock.Instant) {
        let elapsed = (now - bucket.date) / .seconds(1)
        bucket.tokens = min(bucket.tokens + max(elapsed, 0) * rate.perSecond, rate.burst)
        bucket.date = now
    }

    /// Forgets the clients whose buckets are full, or all if none is.
    private func shrink(_ buckets: inout [String: Bucket], at now: ContinuousClock.Instant) {
        buckets = buckets.filter { _, bucket in
            var bucket = bucket
            refill(&bucket, at: now)
            return bucket.tokens < rate.burst
        }
        if buckets.count >= Self.maximumCount { buckets = [:] }
    }
}
