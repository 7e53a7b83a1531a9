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
/// The handler runs on a thread of the listener, also after it has waited, and on Swift's threads while a body or response is streamed or
/// hundreds of requests wait. It must not block.
/// A listener that is deallocated stops at once.
public final class HTTPListener: Sendable {
    /// The addresses as URLs, such as `http://127.0.0.1:8080`; Unix sockets have none.
    public let urls: [String]
    private let supervisor: Supervisor

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, limits and threads.
    ///   - handler: Answers the requests.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if an address, the certificate or its key cannot be used, or the system
    ///   refuses a thread.
    public convenience init(_ configuration: Configuration, handler: @escaping HTTPHandler) throws {
        try self.init(configuration, makeHandler: { _ in handler })
    }

    /// Begins to listen, with a handler that knows the addresses.
    ///
    /// A connection that arrives while the handler is made waits for it.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, limits and threads.
    ///   - makeHandler: Returns the handler, once the ports are chosen and the threads started. Its argument is ``urls``.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if an address, the certificate or its key cannot be used, or the system
    ///   refuses a thread, and the errors of the closure.
    public init(_ configuration: Configuration, makeHandler: (_ urls: [String]) throws -> HTTPHandler) throws {
        var sockets: [ListeningSocket] = []
        do {
            for address in configuration.addresses { sockets.append(try ListeningSocket(address)) }
            urls = Self.urls(of: sockets.map(\.address), isSecure: configuration.tls != nil)
            let core = try ListenerCore(configuration: configuration)
            do {
                supervisor = try Supervisor(core: core, sockets: sockets) { [urls] in try makeHandler(urls) }
            } catch {
                core.stopDaemons()
                throw error
            }
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

    private static func urls(of addresses: [HTTPAddress], isSecure: Bool) -> [String] {
        addresses.compactMap { address in
            if case .network = address { "\(isSecure ? "https" : "http")://\(address)" } else { nil }
        }
    }

    /// The numbers of the listener at this moment.
    public var counters: HTTPCounters { supervisor.core.allCounters }

    /// Reads the certificate and its key again, for new connections.
    ///
    /// If they have changed, requests under way end with the earlier ones, and streams of events end, so that their clients connect again.
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
