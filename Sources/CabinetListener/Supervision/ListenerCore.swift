import CabinetServer
import Foundation
import Synchronization

/// The state that the threads of a listener share.
final class ListenerCore: Sendable {
    let configuration: HTTPListener.Configuration
    let times: Times
    /// The milliseconds of a clock that the supervising thread sets, twice a second while there are connections.
    let now: Atomic<Int64>
    /// Whether no connection is accepted any more, and each is closed after its request.
    let isStopping = Atomic(false)
    /// Whether every connection is closed without waiting for its request.
    let isAborting = Atomic(false)
    let table = Mutex(ConnectionTable())
    let resumptions: Resumptions
    let lingering = LingeringSockets()
    let wakeUp: WakeUp
    /// The threads that take new connections and their certificate, then the threads that finish what they have.
    let daemons = Mutex<(current: [Daemon], certificate: Certificate?, retired: [Daemon], ended: HTTPCounters)>(
        ([], nil, [], HTTPCounters()))
    /// The connections that were accepted, refused and late.
    let counters = Mutex(HTTPCounters())

    init(configuration: HTTPListener.Configuration) throws {
        guard let wakeUp = WakeUp() else {
            throw HTTPError(.serviceUnavailable, "The process has too many open files.")
        }
        self.configuration = configuration
        times = Times(configuration.limits)
        self.wakeUp = wakeUp
        now = Atomic(Self.clock)
        resumptions = Resumptions(wakeUp: wakeUp)
        try startDaemons()
    }

    /// A certificate and its key, in PEM.
    struct Certificate: Equatable {
        let certificate: String
        let key: String
    }

    /// Starts threads with the certificate as the files have it now, and lets those before finish what they have.
    ///
    /// Threads with this certificate, or without one, go on.
    func startDaemons() throws {
        let certificate = try configuration.tls.map { tls in
            Certificate(certificate: try Self.text(of: tls.certificate), key: try Self.text(of: tls.key))
        }
        let isCurrent = daemons.withLock { !$0.current.isEmpty && $0.certificate == certificate }
        if isCurrent, !isStopping.load(ordering: .relaxed) { return }
        var started: [Daemon] = []
        do {
            for _ in 0..<max(1, configuration.threads) {
                started.append(try Daemon(core: self, certificate: certificate))
            }
        } catch {
            for daemon in started { daemon.stop() }
            throw error
        }
        let isTaken = daemons.withLock { daemons in
            // The end stops all daemons that it finds here, and sets the flag before.
            guard !isStopping.load(ordering: .relaxed) else { return false }
            for daemon in daemons.current { daemon.retire() }
            daemons.retired += daemons.current
            (daemons.current, daemons.certificate) = (started, certificate)
            return true
        }
        guard isTaken else {
            for daemon in started { daemon.stop() }
            throw HTTPError(.serviceUnavailable, "The listener has been stopped.")
        }
        wakeUp.signal()
    }

    /// Ends all threads, none of which may have a suspended connection.
    func stopDaemons() {
        let daemons = daemons.withLock { $0.current + $0.retired }
        for daemon in daemons { daemon.stop() }
        self.daemons.withLock { all in
            all = ([], nil, [], daemons.reduce(all.ended) { $0 + $1.requestCounters })
        }
    }

    /// Forgets a connection that libmicrohttpd closes now.
    func close(_ connection: Connection) {
        if connection.hasRefusedBody.load(ordering: .relaxed), !isStopping.load(ordering: .relaxed) {
            lingering.insert(copyOf: connection.descriptor, now: now.load(ordering: .relaxed))
            wakeUp.signal()
        }
        let isLast = table.withLock { table in
            table.remove(connection)
            return table.connections.isEmpty
        }
        let isDrained = connection.daemon.connectionCount.subtract(1, ordering: .relaxed).newValue == 0
        if isLast && isStopping.load(ordering: .relaxed) || isDrained && connection.daemon.isRetired { wakeUp.signal() }
    }

    /// The open connections.
    var connections: [Connection] { table.withLock { Array($0.connections.values) } }

    /// All numbers of the listener.
    var allCounters: HTTPCounters {
        var sum = counters.withLock { $0 }
        let requests = daemons.withLock { daemons in
            (daemons.current + daemons.retired).reduce(daemons.ended) { $0 + $1.requestCounters }
        }
        sum.openConnections = table.withLock { $0.connections.count }
        sum.waitingRequests = resumptions.waitingCount
        return sum + requests
    }

    /// The milliseconds of a clock that is never set.
    static var clock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func text(of file: URL) throws -> String {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw HTTPError(
                .serviceUnavailable, "The file \(file.lastPathComponent) of the certificate cannot be read.")
        }
        return text
    }
}

/// The times of the limits in milliseconds.
struct Times: Sendable {
    /// The time between two checks of all connections, by which the clock is late at most.
    static let tick: Int64 = 500
    let head: Int64
    let body: Int64
    let idle: Int64

    init(_ limits: HTTPLimits) {
        head = max(1, limits.headTime.milliseconds) + Self.tick
        body = max(1, limits.bodyTime.milliseconds)
        idle = max(1, limits.idleTime.milliseconds)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded down, from 0 to a thousand years.
    var milliseconds: Int64 {
        let seconds = min(max(0, components.seconds), 1_000 * 365 * 86_400)
        return seconds * 1_000 + max(0, components.attoseconds / 1_000_000_000_000_000)
    }
}
