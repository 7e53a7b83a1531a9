import Foundation
import Synchronization

/// A server that sends any bytes that a test gives it.
final class RawServer: Sendable {
    /// The bytes after a request.
    struct Answer: Sendable {
        var bytes: String
        /// Whether the connection stays open for another request.
        var isKept = false
        /// The time before the connection ends.
        var delay: Duration = .zero
    }

    let url: URL
    private let socket: Int32
    private let requests = Mutex<[String]>([])

    /// Listens on a free port of this machine.
    ///
    /// - Parameter answer: Returns the answer to a request by the number of those before it.
    init(_ answer: @escaping @Sendable (Int) -> Answer) throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let socket = Foundation.socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 128) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw URLError(.cannotConnectToHost)
        }
        (self.socket, self.url) = (socket, url)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [weak self] in self?.serve(client, answer) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    /// The requests.
    var received: [String] { requests.withLock { $0 } }

    private func serve(_ client: Int32, _ answer: @Sendable (Int) -> Answer) {
        defer { close(client) }
        while let request = nextRequest(of: client) {
            let number = requests.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            let next = answer(number)
            #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
            #else
            let flags: Int32 = 0
            #endif
            _ = Array(next.bytes.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
            Thread.sleep(forTimeInterval: next.delay / .seconds(1))
            guard next.isKept else { return }
        }
    }

    /// Reads a request with the body that its head announces.
    private func nextRequest(of client: Int32) -> String? {
        var (text, buffer) = ("", [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            let length = text.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
            if let end = text.firstRange(of: "\r\n\r\n")?.upperBound, text[end...].utf8.count >= length { return text }
        }
    }
}
