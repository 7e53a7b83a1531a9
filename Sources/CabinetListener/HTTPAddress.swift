import CabinetServer
import Foundation

/// An address that a listener waits at for connections: one of the network, or a Unix socket.
public enum HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    /// A numeric address or a name of this machine, and a port; 0 takes a free one.
    case network(host: String, port: Int)
    /// The path of a Unix socket, which the listener creates, and removes when it stops.
    case unixSocket(path: String)

    /// Reads an address.
    ///
    /// - Parameter text: The text: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or `unix:` and a path.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 400 if the text is none of these.
    public init(_ text: String) throws {
        if let path = text.wholeMatch(of: #/unix:(.+)/#)?.1 {
            self = .unixSocket(path: String(path))
        } else if let match = text.wholeMatch(of: #/(?:\[([0-9A-Fa-f:.%\w]+)\]|([^:\[\]]+)):([0-9]{1,5})/#),
            let host = match.1 ?? match.2, let port = Int(match.3), port < 65_536
        {
            self = .network(host: String(host), port: port)
        } else {
            throw HTTPError(
                .badRequest,
                "'\(text)' is not an address. Write 127.0.0.1:8080, [::1]:8080 or unix:/run/cabinet.sock.")
        }
    }

    /// The address as ``init(_:)`` reads it.
    public var description: String {
        switch self {
        case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}
