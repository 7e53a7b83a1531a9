import CabinetServer
import Foundation
import Synchronization

/// A connection, as the thread sees it that supervises all of them.
final class Connection: Sendable {
    let descriptor: Int32
    /// The address of the client; `nil` on a Unix socket.
    let peer: PeerAddress?
    let daemon: Daemon
    /// Answers the requests.
    let handler: HTTPHandler
    /// The time at which the connection is closed unless the client has sent what it owes, in milliseconds of the clock; 0 if it owes nothing.
    let deadline: Atomic<Int64>
    /// Whether libmicrohttpd does not poll the connection, and so does not notice when the client goes away.
    let isSuspended = Atomic(false)
    /// The time at which the client was found to have closed its side; 0 if it has not.
    let hangUp = Atomic<Int64>(0)
    /// Whether the connection closes although the client still sends a body.
    let hasRefusedBody = Atomic(false)
    /// Whether the response has begun, so that no other one can be sent.
    private let isAnswering = Atomic(false)
    private let current = Mutex<Exchange?>(nil)
    private let requests = Atomic(0)

    init(
        descriptor: Int32, peer: PeerAddress?, daemon: Daemon, handler: @escaping HTTPHandler, deadline: Int64
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.daemon = daemon
        self.handler = handler
        self.deadline = Atomic(deadline)
    }

    /// The request that arrives or is answered; `nil` between two.
    var exchange: Exchange? { current.withLock { $0 } }

    /// Begins a request, whose head must arrive in time.
    func begin(_ exchange: Exchange, now: Int64, times: Times) {
        current.withLock { $0 = exchange }
        hangUp.store(0, ordering: .relaxed)
        isAnswering.store(false, ordering: .relaxed)
        // The time of the first request began with the connection.
        if requests.load(ordering: .relaxed) > 0 {
            deadline.store(now + times.head, ordering: .relaxed)
        }
        requests.store(1, ordering: .relaxed)
    }

    /// Gives the client time to take a response that the server has whole.
    func awaitReading(until deadline: Int64) {
        isAnswering.store(true, ordering: .relaxed)
        self.deadline.store(deadline, ordering: .relaxed)
    }

    /// Ends a request, after which the connection may stay open.
    func end(now: Int64, times: Times) {
        current.withLock { $0 = nil }
        deadline.store(now + times.idle + times.head, ordering: .relaxed)
    }

    /// Closes a connection whose client is late, after a 408 if it has begun a request and reads plain text.
    func closeLate() {
        let isFirst = requests.load(ordering: .relaxed) == 0
        if !daemon.isSecure, isFirst || exchange != nil, !isAnswering.load(ordering: .relaxed) {
            send("408 Request Timeout")
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends an answer of plain text without libmicrohttpd, before the connection is closed.
    func send(_ status: String) {
        let answer = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        SystemCalls.send(Array(answer.utf8), to: descriptor)
    }

    /// Whether the client of a suspended connection has gone.
    ///
    /// A client may close its side after its request and still wait for the response, which looks like one that has gone. It has a second.
    func isAbandoned(isClosed: Bool, now: Int64) -> Bool {
        let since = hangUp.load(ordering: .relaxed)
        if since == 0 { hangUp.store(now, ordering: .relaxed) }
        return isClosed || since != 0 && now - since >= 1_000
    }
}
