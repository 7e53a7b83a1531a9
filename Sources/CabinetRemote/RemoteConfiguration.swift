/// The limits of a client's waiting.
public struct RemoteConfiguration: Sendable {
    /// The time for which a request is repeated after failures of the network, or while the server refuses it for now.
    ///
    /// The default is a minute.
    public var retryTime: Duration = .seconds(60)
    /// The time for which a response may be silent.
    ///
    /// The default is 90 seconds, more than a server lets a request take.
    public var silence: Duration = .seconds(90)
    /// The number of connections at once, without those of live queries.
    ///
    /// The default is 8.
    public var connections = 8
    /// The greatest number of bytes of a response, beyond which a request fails.
    ///
    /// The default is 256 MiB.
    public var responseSize = 256 << 20
    /// Whether credentials may be sent without encryption to another machine, as in a private network.
    ///
    /// The default is `false`.
    public var allowsUnencrypted = false

    /// Creates a configuration with the defaults.
    public init() {}
}
