public import CabinetServer
import Foundation

/// Listens for HTTP requests, and answers them with a handler.
///
/// ```swift
/// let address = HTTPAddress.network(host: "127.0.0.1", port: 8080)
/// let listener = try HTTPListener(.init(addresses: [address])) { request in
///     try HTTPResponse(contentType: "text/plain", body: HTTPBody("Hello"))
/// }
/// // …
/// await listener.stop()
/// ```
///
/// The handler runs on a thread of the listener until it first waits, and on Swift's threads afterwards. It must not block.
/// A listener that is deallocated stops at once.
public final class HTTPListener: Sendable {
    private let supervisor: Supervisor

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, limits and threads.
    ///   - handler: Answers the requests.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if an address, the certificate or its key cannot be used.
    public init(_ configuration: Configuration, handler: @escaping HTTPHandler) throws {
        var sockets: [ListeningSocket] = []
        do {
            for address in configuration.addresses { sockets.append(try ListeningSocket(address)) }
            let core = try ListenerCore(configuration: configuration, handler: handler)
            supervisor = Supervisor(core: core, sockets: sockets)
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
    }

    deinit {
        supervisor.stop(within: 0)
    }

    /// The addresses with the ports that were chosen.
    public var addresses: [HTTPAddress] { supervisor.sockets.map(\.address) }

    /// The addresses as URLs, such as `http://127.0.0.1:8080`; Unix sockets have none.
    public var urls: [String] {
        let scheme = supervisor.core.configuration.tls == nil ? "http" : "https"
        return addresses.compactMap { address in
            if case .network = address { "\(scheme)://\(address)" } else { nil }
        }
    }

    /// The numbers of the listener at this moment.
    public var counters: HTTPCounters { supervisor.core.allCounters }

    /// Reads the certificate and its key again, for new connections.
    ///
    /// Requests under way end with the earlier ones.
    ///
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if they cannot be used, or the listener was stopped; then
    ///   nothing changes.
    public func reload() throws {
        try supervisor.core.startDaemons()
    }

    /// Stops listening, and waits until the requests under way are answered.
    ///
    /// - Parameter limit: The time that they may take. Then they are cancelled, and have two seconds to answer.
    public func stop(within limit: Duration = .seconds(10)) async {
        supervisor.stop(within: limit.milliseconds)
        await supervisor.waitForEnd()
    }
}
