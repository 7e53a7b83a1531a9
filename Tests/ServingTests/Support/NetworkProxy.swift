import Foundation
import Synchronization

/// A proxy of TCP between clients and a server, whose network a test controls.
final class NetworkProxy: Sendable {
    /// The way in which the network treats bytes.
    enum Network: Sendable {
        /// Forwards them.
        case open
        /// Forwards them, and breaks a connection after about so many bytes of answers.
        case breaking(after: Int)
        /// Holds them.
        case stalled
        /// Breaks every connection.
        case cut
    }

    private struct State {
        var network = Network.open
        var generator: any RandomNumberGenerator & Sendable
        var remaining = 0
        var links: [ObjectIdentifier: Link] = [:]
        var breaks = 0
        var isClosed = false
    }

    let url: URL
    private let listener: Int32
    private let server: Int
    private let state: Mutex<State>

    /// Listens on a free port of this machine.
    ///
    /// - Parameters:
    ///   - server: The port of the server.
    ///   - generator: Decides where connections break.
    init(to server: Int, generator: any RandomNumberGenerator & Sendable) throws {
        self.server = server
        state = Mutex(State(generator: generator))
        let listener = Sockets.make()
        self.listener = listener
        guard Sockets.withAddress(port: 0, { bind(listener, $0, $1) }) == 0, listen(listener, 1_024) == 0,
            let port = Sockets.port(of: listener), let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw URLError(.cannotConnectToHost) }
        self.url = url
        Thread.detachNewThread { [weak self] in
            while true {
                let client = Sockets.prepared(accept(listener, nil, nil))
                if client < 0 { break }
                guard let self else { break }
                self.connect(client)
            }
            _ = close(listener)
        }
    }

    deinit { end() }

    /// The number of connections that the network has broken.
    var breaks: Int { state.withLock { $0.breaks } }

    func set(_ network: Network) {
        let broken = state.withLock { state in
            state.network = network
            if case .breaking(let count) = network {
                state.remaining = Int.random(in: 1...count, using: &state.generator)
            }
            guard case .cut = network else { return [Link]() }
            state.breaks += state.links.count
            return Array(state.links.values)
        }
        for link in broken { link.shutDown() }
    }

    /// Breaks every connection, and accepts no further one.
    func end() {
        state.withLock { $0.isClosed = true }
        set(.cut)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func connect(_ client: Int32) {
        let isCut = state.withLock { state in
            if case .cut = state.network { true } else { false }
        }
        let upstream = isCut ? -1 : Sockets.make()
        let link = Link(client, upstream)
        guard !isCut, Sockets.withAddress(port: server, { Foundation.connect(upstream, $0, $1) }) == 0 else {
            return link.shutDown()
        }
        state.withLock { $0.links[ObjectIdentifier(link)] = link }
        for (source, target, isAnswer) in [(client, upstream, false), (upstream, client, true)] {
            Thread.detachNewThread { [weak self] in
                self?.copy(from: source, to: target, isAnswer: isAnswer)
                link.shutDown()
                self?.state.withLock { _ = $0.links.removeValue(forKey: ObjectIdentifier(link)) }
            }
        }
    }

    private func copy(from source: Int32, to target: Int32, isAnswer: Bool) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &bytes, bytes.count, 0)
            if count <= 0 { return }
            while isStalled { usleep(5_000) }
            let allowed = isAnswer ? take(bytes[..<count]) : count
            guard Sockets.send(bytes[..<allowed], to: target), allowed == count else { return }
        }
    }

    private var isStalled: Bool {
        state.withLock { state in
            if case .stalled = state.network { true } else { false }
        }
    }

    /// Returns the number of bytes of an answer that arrive before the connection breaks.
    private func take(_ bytes: ArraySlice<UInt8>) -> Int {
        state.withLock { state in
            guard case .breaking(let interval) = state.network else { return bytes.count }
            guard bytes.count >= state.remaining else {
                state.remaining -= bytes.count
                return bytes.count
            }
            let allowed = state.remaining - 1
            state.remaining = Int.random(in: 1...interval, using: &state.generator)
            state.breaks += 1
            return allowed
        }
    }
}

/// The two sockets of a connection, which are closed when no thread uses them.
private final class Link: Sendable {
    private let sockets: [Int32]

    init(_ client: Int32, _ server: Int32) { sockets = [client, server].filter { $0 >= 0 } }

    deinit { for socket in sockets { _ = close(socket) } }

    func shutDown() { for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
}

/// Calls of the system for sockets of TCP on this machine.
enum Sockets {
    /// Creates a socket that other programs do not inherit.
    static func make() -> Int32 {
        #if os(Linux)
        prepared(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        #else
        prepared(socket(AF_INET, SOCK_STREAM, 0))
        #endif
    }

    static func prepared(_ socket: Int32) -> Int32 {
        if socket >= 0 { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
        return socket
    }

    /// Calls a function with an address of this machine.
    static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Returns the port that a socket is bound to.
    static func port(of socket: Int32) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// Sends all bytes, and returns whether the other side has taken them.
    static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
