/// The limits beyond which a listener refuses or disconnects its clients.
public struct HTTPLimits: Sendable, Hashable {
    /// The memory of a connection in bytes, for the head of a request.
    ///
    /// The head may have 1 KiB more than this, with 64 bytes for each field and item of a query. A longer one is answered with 431 or 414, as
    /// is one whose fields and items alone take 512 bytes more than half of the memory, or 6 KiB. The texts of cookies count three times.
    ///
    /// The default is 8 KiB, so that a field has at most about 9,000 bytes.
    ///
    /// The head of a response has at least 1 KiB; a longer one that does not fit beside the request's is replaced by 500. A connection takes
    /// 3 KiB more for it, and about 1 KiB for its state.
    public var connectionMemory = 8 << 10
    /// The longest body of a request in bytes; a longer one is answered with 413.
    ///
    /// The default is 256 MiB. A handler that reads its body into memory sets a limit of its own: ``/CabinetServer/HTTPBody/collect(upTo:)``.
    public var bodySize: Int64 = 256 << 20
    /// The number of connections at once; further ones are closed.
    ///
    /// The default is 20,000. The process needs as many descriptors (`ulimit -n`); without one, clients wait.
    public var connections = 20_000
    /// The number of connections at once from one address, which is the first 64 bits of an address of IPv6.
    ///
    /// The default is 1,000. Unix sockets have no such limit.
    public var connectionsPerAddress = 1_000
    /// The time in which the head of a request must arrive.
    ///
    /// The default is 10 seconds; then the answer is 408, or over TLS the end of the connection.
    public var headTime: Duration = .seconds(10)
    /// The time that a client may take to send a body, in addition to the time that ``minimumBodyRate`` allows for each byte.
    ///
    /// The default is 20 seconds; then the client is answered as after ``headTime``. Time in which the server does not read does not count.
    public var bodyTime: Duration = .seconds(20)
    /// The number of bytes of a body a second that a client sends at least.
    ///
    /// The default is 1,024.
    public var minimumBodyRate: Int64 = 1_024
    /// The number of bytes of a response a second that a client takes at least, if the response is in memory or a file.
    ///
    /// The default is 4,096. A client that needs longer, and ``idleTime`` in addition, is disconnected. Streams are not limited.
    public var minimumSendRate: Int64 = 4_096
    /// The time that a client may take at most for a response that is in memory, also if ``minimumSendRate`` allows more.
    ///
    /// The default is 10 minutes, in which a client that takes 17 KiB a second has 10 MiB. A file takes no memory, and has no such limit.
    public var sendTime: Duration = .seconds(600)
    /// The time for which a connection may be silent, between requests or while a client takes no bytes.
    ///
    /// The default is 60 seconds. A request that the server has not answered yet is not limited.
    public var idleTime: Duration = .seconds(60)

    /// Creates limits with the defaults.
    public init() {}
}
