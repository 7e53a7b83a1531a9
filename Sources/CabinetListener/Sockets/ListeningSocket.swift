import CabinetServer
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A socket that waits for connections; the value that owns it closes it once.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// The address with the port that was chosen.
    let address: HTTPAddress

    /// Opens a socket.
    ///
    /// - Parameter address: Where to listen. A Unix socket whose server has died is replaced.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 that says what the system refused.
    init(_ address: HTTPAddress) throws {
        switch address {
        case .network(let host, let port): self = try Self.network(host: host, port: port)
        case .unixSocket(let path): self = try Self.unix(path: path)
        }
    }

    private init(descriptor: Int32, address: HTTPAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    /// Closes the socket, and removes the file of a Unix socket.
    func close() {
        if case .unixSocket(let path) = address { unlink(path) }
        SystemCalls.close(descriptor)
    }

    private static func network(host: String, port: Int) throws -> Self {
        guard (0..<65_536).contains(port) else {
            throw HTTPError(.serviceUnavailable, "\(port) is not a port, which is a number from 0 to 65535.")
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0, let info = list?.pointee, let raw = info.ai_addr else {
            throw HTTPError(.serviceUnavailable, "'\(host)' is not an address of this machine.")
        }
        let descriptor = try open(family: info.ai_family)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if info.ai_family == AF_INET6 {
            // An address of IPv6 means itself. To listen on both, list both.
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        try listen(descriptor, at: raw, length: info.ai_addrlen, name: HTTPAddress.network(host: host, port: port))
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutableBytes(of: &bound) { bytes -> Int in
            guard let base = bytes.baseAddress else { return port }
            getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length)
            // The port lies at the same offset in the addresses of IPv4 and IPv6.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
        return Self(descriptor: descriptor, address: .network(host: host, port: port))
    }

    private static func unix(path: String) throws -> Self {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        // A path that begins with a zero byte is a name that every user of the machine can connect to.
        guard (1..<capacity).contains(path.utf8.count), !path.utf8.contains(0) else {
            throw HTTPError(
                .serviceUnavailable,
                "'\(path)' is not the path of a Unix socket, which has from 1 to \(capacity - 1) bytes.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                let probe = try open(family: AF_UNIX)
                defer { SystemCalls.close(probe) }
                // A file of another kind refuses connections too.
                if connect(probe, raw, length) != 0, errno == ECONNREFUSED, isSocket(path) { unlink(path) }
                let descriptor = try open(family: AF_UNIX)
                try listen(descriptor, at: raw, length: length, name: .unixSocket(path: path))
                return Self(descriptor: descriptor, address: .unixSocket(path: path))
            }
        }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func open(family: Int32) throws -> Int32 {
        let descriptor = SystemCalls.socket(family: family)
        guard descriptor >= 0 else { throw failure("A socket") }
        return descriptor
    }

    private static func listen(
        _ descriptor: Int32, at raw: UnsafePointer<sockaddr>, length: socklen_t, name: HTTPAddress
    ) throws {
        guard bind(descriptor, raw, length) == 0, SystemCalls.listen(descriptor) == 0 else {
            let error = failure("The address \(name)")
            SystemCalls.close(descriptor)
            throw error
        }
    }

    private static func failure(_ subject: String) -> HTTPError {
        HTTPError(.serviceUnavailable, "\(subject) cannot be used: \(String(cString: strerror(errno))).")
    }
}
