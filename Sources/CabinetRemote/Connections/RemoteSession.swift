import Cabinet
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections to a server, without cookies, a cache or stored credentials.
///
/// Redirections are not followed, since they could lead a token to another server.
protocol RemoteSession: Sendable {
    /// Creates a session.
    ///
    /// - Parameters:
    ///   - idleTimeLimit: The time without a byte in either direction after which a request has failed.
    ///   - connections: The number of connections at once, at least one. Further requests wait for one.
    init(idleTimeLimit: Duration, connections: Int)

    /// Whether the session was closed.
    var isClosed: Bool { get }

    /// Ends all requests.
    func close()

    /// Sends a request, and passes on the response as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: A file with its body.
    ///   - isRepeatable: Whether the request may be sent a second time if a connection that was used before breaks.
    ///   - end: The time after which its body is not sent, neither for the first nor for a second time; `nil` for any.
    ///   - head: Checks the status and the fields. An error ends the connection.
    ///   - body: Takes the next bytes. An error ends the connection.
    /// - Throws: The errors of `head` and `body`, and `URLError`.
    func receive(
        _ request: URLRequest, from file: URL?, isRepeatable: Bool, until end: ContinuousClock.Instant?,
        head: @escaping @Sendable (ResponseHead) throws -> Void,
        body: @escaping @Sendable (Data) throws -> Void
    ) async throws
}

/// The status and the fields of a response.
struct ResponseHead: Sendable {
    let status: Int
    /// The values by the names in lower case.
    private let fields: [String: String]

    init(status: Int, fields: some Sequence<(name: String, value: String)>) {
        self.status = status
        self.fields = Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Returns the value of a field.
    func value(of name: String) -> String? { fields[name.lowercased()] }
}

/// Creates the connections of a client.
///
/// Outside of Apple's platforms a `URLSession` ends the process if a connection breaks within the head of a response, or if a task is cancelled as
/// it ends.
func makeSession(idleTimeLimit: Duration, connections: Int) -> any RemoteSession {
    #if canImport(FoundationNetworking)
    CurlSession(idleTimeLimit: idleTimeLimit, connections: connections)
    #else
    FoundationSession(idleTimeLimit: idleTimeLimit, connections: connections)
    #endif
}
