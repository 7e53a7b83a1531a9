import CabinetListener
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
private let stream = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#elseif canImport(Darwin)
import Darwin
private let stream = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

/// A client that sends bytes as the test says, without a library that would correct them.
final class RawClient: Sendable {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private let descriptor: Int32
    private let isClosed = Atomic(false)

    /// Connects to a listener, and stops reading after two minutes.
    init(to address: HTTPAddress) throws {
        var connected: Int32 = -1
        switch address {
        case .network(let host, let port):
            var hints = addrinfo()
            hints.ai_socktype = stream
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let info = list?.pointee else {
                throw Failure(call: "getaddrinfo", code: errno)
            }
            defer { freeaddrinfo(list) }
            connected = socket(info.ai_family, stream, 0)
            guard connect(connected, info.ai_addr, info.ai_addrlen) == 0 else {
                close(connected)
                throw Failure(call: "connect", code: errno)
            }
        case .unixSocket(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            connected = socket(AF_UNIX, stream, 0)
            let status = withUnsafePointer(to: name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(connected, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard status == 0 else {
                close(connected)
                throw Failure(call: "connect", code: errno)
            }
        }
        descriptor = connected
        // A program that another test starts must not keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        disconnect()
    }

    func send(_ text: String) throws {
        try send(Data(text.utf8))
    }

    func send(_ bytes: Data) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                raw.baseAddress.map { write(descriptor, from: $0 + sent, count: raw.count - sent) } ?? 0
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            sent += count
        }
    }

    /// Closes the side that sends.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection, with what the server has sent and the client has not read.
    func disconnect() {
        if !isClosed.exchange(true, ordering: .relaxed) { close(descriptor) }
    }

    /// Reads some bytes; none at the end of the connection.
    func read(upTo limit: Int = 64 << 10) throws -> Data {
        var buffer = Data(count: limit)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, limit, 0) }
        guard count >= 0 else {
            if errno == ECONNRESET { return Data() }
            throw Failure(call: "recv", code: errno)
        }
        return buffer.prefix(count)
    }

    /// Reads until the server closes the connection.
    func readAll() throws -> String {
        var all = Data()
        while true {
            let chunk = try read()
            if chunk.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += chunk
        }
    }

    /// Reads until the text that arrived ends as said.
    func read(until end: String) throws -> String {
        var all = Data()
        while !String(decoding: all, as: UTF8.self).hasSuffix(end) {
            let chunk = try read()
            guard !chunk.isEmpty else {
                throw Failure(call: "end after \(String(decoding: all, as: UTF8.self))", code: 0)
            }
            all += chunk
        }
        return String(decoding: all, as: UTF8.self)
    }

    private func write(_ descriptor: Int32, from bytes: UnsafeRawPointer, count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.send(descriptor, bytes, count, noSignal)
        #else
        Darwin.send(descriptor, bytes, count, noSignal)
        #endif
    }
}
