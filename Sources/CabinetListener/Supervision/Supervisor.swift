import CMicroHTTPD
import Cabinet
import CabinetServer
import Dispatch
import Foundation
import Synchronization

/// The thread that accepts connections, closes late ones, notices clients that went away, and ends the listener.
final class Supervisor: Sendable {
    private struct Beginning {
        /// Answers the requests; `nil` until it was created.
        var handler: HTTPHandler?
    }

    private struct Ending {
        /// The time at which requests under way are cancelled, in milliseconds of the clock; `nil` while the listener runs.
        var deadline: Int64?
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let core: ListenerCore
    let sockets: [ListeningSocket]
    private let beginning = Mutex(Beginning())
    private let hasHandler = DispatchSemaphore(value: 0)
    private let ending = Mutex(Ending())
    /// The milliseconds that cancelled requests have to answer before their connections are closed.
    private static let grace: Int64 = 2_000

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - startThread: Starts a thread with a name, and returns whether it could.
    ///   - makeHandler: Returns the handler, once the thread is started.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if the system refuses a thread, and the errors of
    ///   `makeHandler`.
    init(
        core: ListenerCore, sockets: [ListeningSocket],
        startThread: (String, @escaping @Sendable () -> Void) -> Bool = SystemThread.start,
        makeHandler: () throws -> HTTPHandler
    ) throws {
        self.core = core
        self.sockets = sockets
        guard startThread("Cabinet listener", { self.run() }) else {
            throw HTTPError(.serviceUnavailable, "The system refused a thread or descriptor for connections.")
        }
        // Without a handler, the thread ends.
        defer { hasHandler.signal() }
        let handler = try makeHandler()
        beginning.withLock { $0.handler = handler }
    }

    /// Begins the end of the listener.
    ///
    /// - Parameter milliseconds: The time for requests under way. A second call can only shorten it.
    func stop(within milliseconds: Int64) {
        let deadline = ListenerCore.clock + milliseconds
        // The flag comes first: a reload that does not find it starts its threads before the end waits for all.
        core.isStopping.store(true, ordering: .relaxed)
        ending.withLock { $0.deadline = min($0.deadline ?? .max, deadline) }
        core.wakeUp.signal()
    }

    /// Waits for the end of the listener.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = ending.withLock { ending in
                if !ending.isOver { ending.waiters.append(continuation) }
                return ending.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    private func run() {
        hasHandler.wait()
        guard let handler = beginning.withLock({ $0.handler }) else { return }
        var acceptor = Acceptor(core: core, sockets: sockets, handler: handler)
        var nextTick: Int64 = 0
        var nextFlush: Int64 = 0
        while true {
            let now = ListenerCore.clock
            core.now.store(now, ordering: .relaxed)
            if core.resumptions.isPending, now >= nextFlush {
                core.resumptions.flush()
                nextFlush = now + Resumptions.pause
            }
            if now >= nextTick {
                let connections = core.connections
                closeLate(connections, now: now)
                endAbandoned(connections, now: now)
                endRetired()
                core.lingering.read(now: now)
                nextTick = now + Times.tick
            }
            if let deadline = ending.withLock({ $0.deadline }) {
                acceptor.close()
                if end(now: now, deadline: deadline) { break }
                nextTick = min(nextTick, now + 20)
            }
            let isQuiet =
                core.table.withLock { $0.connections.isEmpty } && core.daemons.withLock { $0.retired.isEmpty }
                && core.lingering.descriptors.isEmpty
            let next = core.resumptions.isPending ? min(nextFlush, nextTick) : nextTick
            acceptor.wait(milliseconds: isQuiet ? -1 : Int32(clamping: max(0, next - ListenerCore.clock)))
        }
        let waiters = ending.withLock { ending in
            ending.isOver = true
            return ending.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Closes the connections whose clients are late with what they owe.
    private func closeLate(_ connections: [Connection], now: Int64) {
        for connection in connections {
            let deadline = connection.deadline.load(ordering: .relaxed)
            guard deadline != 0, deadline < now else { continue }
            // The table holds the descriptor while the lock is held: libmicrohttpd closes it afterwards.
            let isLate = core.table.withLock { table in
                guard table.connections[connection.descriptor] === connection,
                    // Otherwise the client has just sent what it owed.
                    connection.deadline.compareExchange(expected: deadline, desired: 0, ordering: .relaxed).exchanged
                else { return false }
                connection.closeLate()
                return true
            }
            if isLate { core.counters.withLock { $0.lateConnections += 1 } }
        }
    }

    /// Cancels the requests whose clients have gone.
    ///
    /// libmicrohttpd does not poll suspended connections, and misses the end of a client that comes together with its last bytes.
    private func endAbandoned(_ connections: [Connection], now: Int64) {
        var polls = connections.map { pollfd(fd: $0.descriptor, events: Int16(CMicroHTTPD_POLLRDHUP), revents: 0) }
        guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return }
        for (connection, poll) in zip(connections, polls) where poll.revents != 0 && poll.revents & Int16(POLLNVAL) == 0
        {
            let isClosed = poll.revents & Int16(POLLHUP | POLLERR) != 0
            guard connection.isAbandoned(isClosed: isClosed, now: now) else { continue }
            if connection.isSuspended.load(ordering: .relaxed) {
                connection.exchange?.cancel()
            } else {
                // The bytes that have arrived are still read; then libmicrohttpd finds the end.
                endReading(connection)
            }
        }
    }

    /// Ends the threads of an earlier certificate that have no connections left, and the streams that would never end.
    private func endRetired() {
        let retired = core.daemons.withLock { $0.retired }
        for daemon in retired {
            for connection in core.connections where connection.daemon === daemon {
                if let exchange = connection.exchange { exchange.endPolling() } else { endReading(connection) }
            }
            guard daemon.connectionCount.load(ordering: .relaxed) == 0 else { continue }
            daemon.stop()
            core.daemons.withLock { daemons in
                daemons.retired.removeAll { $0 === daemon }
                daemons.ended = daemons.ended + daemon.requestCounters
            }
        }
    }

    private func endReading(_ connection: Connection) {
        core.table.withLock { table in
            guard table.connections[connection.descriptor] === connection else { return }
            shutdown(connection.descriptor, Int32(SHUT_RD))
        }
    }

    /// Ends the listener as far as it can.
    ///
    /// - Returns: Whether it has ended.
    private func end(now: Int64, deadline: Int64) -> Bool {
        let connections = core.connections
        for connection in connections where connection.exchange == nil { endReading(connection) }
        if !connections.isEmpty, now < deadline + Self.grace {
            if now >= deadline { for connection in connections { connection.exchange?.cancel() } }
            return false
        }
        core.isAborting.store(true, ordering: .relaxed)
        for connection in connections { connection.exchange?.abort() }
        core.resumptions.flush()
        core.stopDaemons()
        return true
    }
}
