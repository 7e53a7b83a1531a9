import CPostgreSQL
import Cabinet
import Foundation
import Synchronization
import SQLSupport

/// Receives the announcements of other backends and processes on a connection of its own, while a database is observed.
final class ChangeListener: Sendable {
    private struct State {
        var observers: [DatabaseKey: Int] = [:]
        var task: Task<Void, Never>?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let parameters: ConnectionParameters
    private let configuration: PostgresConfiguration
    private let channel: String
    private let signals: ChangeBroadcaster
    private let executor = BlockingExecutor(label: "Cabinet PostgreSQL listener")

    /// The interval at which the listener checks whether to continue, in milliseconds.
    private static let pollInterval: Int32 = 200
    /// The time without announcements after which the connection is checked: a firewall may have dropped it silently.
    private static let keepaliveInterval = Duration.seconds(30)

    init(
        parameters: ConnectionParameters, configuration: PostgresConfiguration, channel: String,
        signals: ChangeBroadcaster
    ) {
        self.parameters = parameters
        self.configuration = configuration
        self.channel = channel
        self.signals = signals
    }

    /// Listens for a database, until ``release(_:)`` is called as often.
    func retain(_ database: DatabaseKey) {
        state.withLock { state in
            if state.isStopped { return }
            state.observers[database, default: 0] += 1
            if state.task == nil { state.task = Task.detached(executorPreference: executor) { await self.run() } }
        }
    }

    /// Removes one observation of a database.
    func release(_ database: DatabaseKey) {
        state.withLock { state in
            guard let count = state.observers[database] else { return }
            state.observers[database] = count > 1 ? count - 1 : nil
        }
    }

    /// Stops listening permanently.
    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            state.observers = [:]
            return state.task
        }
        task?.cancel()
    }

    /// Whether no observation is left, so that the task ends.
    private var isDone: Bool {
        state.withLock { state in
            guard state.observers.isEmpty || state.isStopped else { return false }
            state.task = nil
            return true
        }
    }

    private func run() async {
        var pause = Duration.milliseconds(50)
        while !isDone {
            do {
                let connection = try Connection(parameters, configuration: configuration)
                try connection.run("LISTEN \(SQLName.quoted(channel))")
                pause = .milliseconds(50)
                // Announcements from before are not repeated.
                signalAll()
                try listen(on: connection)
            } catch {
                try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, .seconds(5))
            }
        }
    }

    /// Receives announcements until no observation is left.
    private func listen(on connection: Connection) throws {
        var lastActivity = ContinuousClock.now
        while !state.withLock({ $0.observers.isEmpty || $0.isStopped }) {
            if try connection.waitReadable(within: Self.pollInterval) { lastActivity = .now }
            var announced: Set<String> = []
            while let name = connection.nextAnnouncement() { announced.insert(name) }
            for name in announced { DatabaseKey(storedName: name).map(signals.signal) }
            if ContinuousClock.now - lastActivity > Self.keepaliveInterval {
                guard connection.isUsable(checkingWithin: 5) else {
                    throw PostgresFailure(
                        state: "08006", message: "it has not answered a keepalive query", server: connection.server)
                }
                lastActivity = .now
            }
        }
    }

    private func signalAll() {
        for database in state.withLock({ Array($0.observers.keys) }) { signals.signal(database) }
    }
}

extension Connection {
    /// Waits for data from the server.
    ///
    /// - Returns: Whether data has arrived.
    fileprivate func waitReadable(within milliseconds: Int32) throws -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
        guard PQconsumeInput(handle) == 1, !isBroken else {
            throw PostgresFailure(state: "08006", message: "the connection broke", server: server)
        }
        return true
    }

    /// Returns the next announcement, if one has arrived.
    fileprivate func nextAnnouncement() -> String? {
        guard let notification = PQnotifies(handle) else { return nil }
        defer { PQfreemem(notification) }
        return notification.pointee.extra.map { String(cString: $0) }
    }
}
