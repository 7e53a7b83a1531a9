/// The numbers of a listener, for metrics.
public struct HTTPCounters: Sendable, Hashable {
    /// The connections that are open now.
    public internal(set) var openConnections = 0
    /// The requests that wait now for their handler, without a thread.
    public internal(set) var waitingRequests = 0
    /// The connections that were accepted.
    public internal(set) var connections = 0
    /// The connections that were closed at once, because there were too many.
    public internal(set) var refusedConnections = 0
    /// The connections that were closed because a head or body arrived too slowly.
    public internal(set) var lateConnections = 0
    /// The requests that ended.
    public internal(set) var requests = 0
    /// The requests that ended with a status from 400 to 499.
    public internal(set) var clientErrors = 0
    /// The requests that ended with a status from 500 to 599.
    public internal(set) var serverErrors = 0
    /// The requests that ended before they had a status: their client went away or was late, or the listener stopped.
    public internal(set) var abandonedRequests = 0
    /// The bytes of bodies that arrived.
    public internal(set) var bytesReceived: Int64 = 0
    /// The bytes of bodies that were sent.
    public internal(set) var bytesSent: Int64 = 0

    mutating func count(status: Int, received: Int64, sent: Int64) {
        requests += 1
        bytesReceived += received
        bytesSent += sent
        switch status {
        case 0: abandonedRequests += 1
        case 400..<500: clientErrors += 1
        case 500...: serverErrors += 1
        default: break
        }
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.openConnections += right.openConnections
        sum.waitingRequests += right.waitingRequests
        sum.connections += right.connections
        sum.refusedConnections += right.refusedConnections
        sum.lateConnections += right.lateConnections
        sum.requests += right.requests
        sum.clientErrors += right.clientErrors
        sum.serverErrors += right.serverErrors
        sum.abandonedRequests += right.abandonedRequests
        sum.bytesReceived += right.bytesReceived
        sum.bytesSent += right.bytesSent
        return sum
    }
}
