import CabinetServer
import Foundation
import Synchronization

/// Accepts connections and gives them to the threads of libmicrohttpd.
struct Acceptor {
    private let core: ListenerCore
    private let handler: HTTPHandler
    private var sockets: [ListeningSocket]
    private var turn = 0
    /// Whether the process had no descriptor for the last connection, which waits.
    private var isExhausted = false

    init(core: ListenerCore, sockets: [ListeningSocket], handler: @escaping HTTPHandler) {
        self.core = core
        self.handler = handler
        self.sockets = sockets
    }

    /// Closes the listening sockets.
    mutating func close() {
        for socket in sockets { socket.close() }
        sockets = []
    }

    /// Waits for connections and signals, and accepts the connections.
    ///
    /// - Parameter milliseconds: The longest time to wait, or -1 for no limit.
    mutating func wait(milliseconds: Int32) {
        // Without descriptors, polling would return at once.
        let listening = isExhausted ? [] : sockets
        let limit = isExhausted ? (milliseconds < 0 ? 100 : min(100, milliseconds)) : milliseconds
        isExhausted = false
        var polls = ([core.wakeUp.descriptor] + listening.map(\.descriptor) + core.lingering.descriptors).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&polls, nfds_t(polls.count), limit) > 0 else { return }
        if polls[0].revents != 0 { core.wakeUp.clear() }
        core.now.store(ListenerCore.clock, ordering: .relaxed)
        core.lingering.read(now: core.now.load(ordering: .relaxed))
        for (socket, poll) in zip(listening, polls.dropFirst()) where poll.revents != 0 { accept(from: socket) }
    }

    /// Accepts some connections, not all of an endless series.
    private mutating func accept(from socket: ListeningSocket) {
        for _ in 0..<64 {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutableBytes(of: &address) { bytes in
                SystemCalls.accept(
                    socket.descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard descriptor >= 0 else {
                isExhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
                return
            }
            add(descriptor, address: address, length: length)
        }
    }

    private mutating func add(_ descriptor: Int32, address: sockaddr_storage, length: socklen_t) {
        let limits = core.configuration.limits
        let peer = PeerAddress(address)
        let daemons = core.daemons.withLock { $0.current }
        turn &+= 1
        let daemon = daemons[Int((turn % daemons.count).magnitude)]
        let connection = Connection(
            descriptor: descriptor, peer: peer, daemon: daemon, handler: handler,
            deadline: core.now.load(ordering: .relaxed) + core.times.head)
        let isAdmitted = core.table.withLock { table in
            guard table.admits(peer, limits: limits) else { return false }
            table.insert(connection)
            return true
        }
        core.counters.withLock { counters in
            counters.connections += 1
            if !isAdmitted { counters.refusedConnections += 1 }
        }
        guard isAdmitted else { return SystemCalls.close(descriptor) }
        daemon.connectionCount.add(1, ordering: .relaxed)
        let isAdded = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                daemon.add(descriptor, address: $0, length: length)
            }
        }
        if !isAdded { core.close(connection) }
    }
}
