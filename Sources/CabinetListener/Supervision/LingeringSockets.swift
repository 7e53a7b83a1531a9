import Foundation
import Synchronization

/// Connections whose clients still send what was refused.
///
/// To close a socket with unread bytes resets the connection, and the client may lose the response that says why. So the bytes are read
/// for a short time, until the client has closed its side.
final class LingeringSockets: Sendable {
    /// The number of sockets at once, beyond which others are closed as usual.
    private static let most = 128
    /// The milliseconds for which a socket is read.
    private static let time: Int64 = 2_000
    private let sockets = Mutex<[(descriptor: Int32, deadline: Int64)]>([])

    deinit {
        let all = sockets.withLock { $0 }
        for socket in all { SystemCalls.close(socket.descriptor) }
    }

    /// The descriptors to poll.
    var descriptors: [Int32] { sockets.withLock { $0.map(\.descriptor) } }

    /// Keeps a copy of a socket that is about to be closed.
    func insert(copyOf descriptor: Int32, now: Int64) {
        sockets.withLock { sockets in
            guard sockets.count < Self.most else { return }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return }
            // libmicrohttpd leaves this to the closing of the socket if it speaks TLS.
            shutdown(copy, Int32(SHUT_WR))
            sockets.append((copy, now + Self.time))
        }
    }

    /// Reads what has arrived, and closes the sockets whose clients have finished or had their time.
    func read(now: Int64) {
        sockets.withLock { sockets in
            sockets.removeAll { socket in
                let isOver = now >= socket.deadline || !Self.discard(from: socket.descriptor)
                if isOver { SystemCalls.close(socket.descriptor) }
                return isOver
            }
        }
    }

    /// Reads some of the bytes that have arrived.
    ///
    /// - Returns: Whether more may come.
    private static func discard(from descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            for _ in 0..<16 {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { return false }
                if count < 0 { return errno == EAGAIN || errno == EINTR }
            }
            return true
        }
    }
}
