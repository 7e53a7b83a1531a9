/// The limits of requests, beyond which a server refuses them.
public struct RequestLimits: Sendable, Hashable {
    /// The number of requests that a client may send, on average and at once.
    public struct Rate: Sendable, Hashable {
        /// The number of requests a second, on average.
        public var perSecond: Double
        /// The number of requests at once, after a rest.
        public var burst: Double

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - perSecond: The number of requests a second, on average; more than 0.
        ///   - burst: The number of requests at once, at least 1.
        public init(perSecond: Double, burst: Double) {
            (self.perSecond, self.burst) = (max(perSecond, 0.001), max(burst, 1))
        }
    }

    /// The largest body of a request, in bytes; the parts of assets are smaller.
    ///
    /// The default is 16 MiB. Larger ones are answered with 413.
    public var bodySize = 16 << 20
    /// The largest body of a request without credentials, in bytes.
    ///
    /// The default is 1 MiB.
    public var anonymousBodySize = 1 << 20
    /// The bytes of all bodies that are in memory at once; one address has a quarter of them at most.
    ///
    /// The default is 256 MiB. A request beyond it is answered with 503. Values of JSON that are shorter than ten bytes on average count for
    /// more, up to ten times their size. A request that alone needs more than an address has is refused with
    /// ``/Cabinet/CabinetError/Code/limitExceeded``. Every other body of ``bodySize`` fits alone.
    public var bodyMemory = 256 << 20
    /// The largest asset in CloudKit's dialect, in bytes.
    ///
    /// The default is 15 MiB. Cabinet's own dialect sends assets in parts, without such a limit.
    public var assetSize = 15 << 20
    /// The time that a request may take, without the time in which its body arrives.
    ///
    /// The default is a minute; then, at most an eighth later, it is cancelled, and answered with 503 if it has changed nothing. In CloudKit's
    /// dialect a request can have several transactions. If some of them were committed, the answer has their results, and an error for each
    /// other item.
    public var time: Duration = .seconds(60)
    /// The requests of a user.
    ///
    /// The default is 100 a second, and 1,000 at once; more are answered with 429.
    public var user = Rate(perSecond: 100, burst: 1_000)
    /// The requests of an address, which is the first 64 bits of an address of IPv6.
    ///
    /// The default is 500 a second, and 5,000 at once: several users can share an address. A request with wrong credentials counts
    /// as 50.
    public var address = Rate(perSecond: 500, burst: 5_000)
    /// The number of streams of signals of a user, or of an address without a user, at once.
    ///
    /// The default is 100.
    public var streams = 100

    /// Creates limits with the defaults.
    public init() {}
}
