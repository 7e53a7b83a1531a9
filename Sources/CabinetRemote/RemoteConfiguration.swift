/// The limits of a client's waiting and memory.
public struct RemoteConfiguration: Sendable, Hashable {
    /// The time for which a request is repeated after failures of the network, or while the server refuses it for now.
    ///
    /// The default is two minutes, so that a minute without a network is survived. A request that changes something is repeated for at most
    /// five minutes, because a server remembers for ten what it has done.
    public var retryTimeLimit: Duration = .seconds(120)
    /// The time for which a response may bring nothing.
    ///
    /// The default is 90 seconds, more than a server lets a request take.
    public var idleTimeLimit: Duration = .seconds(90)
    /// The maximum number of bytes of a response, which is held in memory.
    ///
    /// The default is 64 MiB. The bytes of assets arrive in parts of a megabyte.
    public var maximumResponseSize = 64 << 20
    /// The maximum number of connections at once, without those of live queries.
    ///
    /// The default is 8.
    public var maximumConnections = 8
    /// Whether credentials may be sent without encryption to another machine, as in a private network.
    ///
    /// The default is `false`.
    public var allowsUnencrypted = false

    /// Creates a configuration with the defaults.
    public init() {}
}
