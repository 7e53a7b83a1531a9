import CPostgreSQL
import Cabinet
import Foundation
import SQLSupport
import Synchronization

/// Finds the changes of other backends and processes, while a database is observed.
///
/// It receives announcements on a connection of its own. An announcement can be lost: with the process that was about to send it,
/// or behind a pooler that gives each transaction another server connection. So the listener also compares the numbers of
/// writes of all observed databases at intervals, which are short until an announcement of its own has shown that it hears.
final class ChangeListener: Sendable {
    private struct State {
        var observers: [DatabaseKey: Int] = [:]
        /// The number of writes of the observed databases that was signalled last.
        var numbers: [DatabaseKey: Int64] = [:]
        /// The tasks that listen and compare, while there are observers.
        var tasks: [Task<Void, Never>] = []
        var isStopped = false
        /// Whether an announcement of its own has arrived.
        var hears = false

        /// Removes the tasks, which the caller cancels.
        mutating func takeTasks() -> [Task<Void, Never>] {
            hears = false
            defer { tasks = [] }
            return tasks
        }
    }

    /// The parts of the backend that the listener uses.
    struct Environment: Sendable {
        /// The server and login to listen at.
        let parameters: ConnectionParameters
        let configuration: PostgresConfiguration
        let channel: String
        let signals: ChangeBroadcaster
        let announcer: ChangeAnnouncer
        /// Returns the numbers of writes of databases.
        let numbers: @Sendable ([DatabaseKey]) async throws -> [DatabaseKey: Int64]
    }

    private let state = Mutex(State())
    private let environment: Environment
    private let executor = BlockingExecutor(label: "Cabinet PostgreSQL listener")

    /// The time in which an announcement of its own must arrive.
    private static let proofLimit = Duration.seconds(5)
    /// The interval of comparisons while the listener does not hear.
    private static let deafInterval = Duration.seconds(1)
    /// The longest pause before the listener tries again to listen.
    private static let longestPause = Duration.seconds(30)

    init(_ environment: Environment) {
        self.environment = environment
    }

    /// Whether announcements are received.
    var hears: Bool { state.withLock(\.hears) }

    /// Listens for a database, until ``release(_:)`` is called as often.
    func retain(_ database: DatabaseKey) {
        state.withLock { state in
            if state.isStopped { return }
            state.observers[database, default: 0] += 1
            guard state.tasks.isEmpty else { return }
            state.tasks = [Task.detached { await self.listen() }, Task.detached { await self.compare() }]
        }
    }

    /// Removes one observation of a database.
    func release(_ database: DatabaseKey) {
        let tasks = state.withLock { state -> [Task<Void, Never>] in
            guard let count = state.observers[database] else { return [] }
            state.observers[database] = count > 1 ? count - 1 : nil
            if count == 1 { state.numbers[database] = nil }
            return state.observers.isEmpty ? state.takeTasks() : []
        }
        for task in tasks { task.cancel() }
    }

    /// Stops listening permanently.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            state.observers = [:]
            state.numbers = [:]
            return state.takeTasks()
        }
        for task in tasks { task.cancel() }
    }

    /// Signals a change of this backend, which needs no announcement.
    func signal(_ database: DatabaseKey, number: Int64) {
        state.withLock { state in
            if state.observers[database] != nil { state.numbers[database] = number }
        }
        environment.signals.signal(database)
    }
}

// MARK: - Announcements

extension ChangeListener {
    private func listen() async {
        var pause = Duration.milliseconds(50)
        while !Task.isCancelled {
            do {
                try await receive { pause = .milliseconds(50) }
            } catch {
                state.withLock { $0.hears = false }
            }
            try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Receives announcements on a new connection, until it breaks or does not hear.
    ///
    /// - Parameter onProof: Called once the listener hears.
    private func receive(onProof: () -> Void) async throws {
        let nonce = "nonce/" + UUID().uuidString
        let connection = try await open()
        // The next statement of a pooled connection may run on another server connection. So the proof comes from elsewhere.
        environment.announcer.send(nonce: nonce)
        // Earlier announcements are not repeated.
        try await compareOnce()
        var deadline: ContinuousClock.Instant? = .now + Self.proofLimit
        while !Task.isCancelled {
            let event = await SocketMonitor.shared.wait(for: connection.descriptor, until: deadline)
            let announcements = try connection.announcements()
            if announcements.contains(where: { $0.name == nonce }) {
                state.withLock { $0.hears = !Task.isCancelled }
                deadline = nil
                onProof()
            }
            signal(announcements)
            if event == .timedOut, deadline != nil {
                throw PostgresFailure(state: "08006", message: "it hears no announcements", server: connection.server)
            }
        }
    }

    /// Connects, and listens.
    private func open() async throws -> ListeningConnection {
        let environment = environment
        return try await executor.run { [executor] in
            let connection = try Connection(
                environment.parameters, executor: executor, configuration: environment.configuration)
            try connection.run("LISTEN \(SQLName.quoted(environment.channel))")
            return ListeningConnection(connection)
        }
    }

    /// Signals the changes of other backends.
    private func signal(_ announcements: [Announcement]) {
        var found: Set<DatabaseKey> = []
        for announcement in announcements where announcement.sender != environment.announcer.sender {
            guard let database = DatabaseKey(storedName: announcement.name) else { continue }
            let isObserved = state.withLock { state in
                guard state.observers[database] != nil else { return false }
                state.numbers[database] = announcement.number
                return true
            }
            if isObserved { found.insert(database) }
        }
        for database in found { environment.signals.signal(database) }
    }
}

// MARK: - Numbers

extension ChangeListener {
    /// Compares the numbers of writes at intervals.
    private func compare() async {
        while !Task.isCancelled {
            let interval = environment.configuration.changeCheckInterval
            try? await Task.sleep(for: hears ? interval : min(interval, Self.deafInterval))
            // If the server cannot be reached, the next comparison finds the changes.
            if !Task.isCancelled { try? await compareOnce() }
        }
    }

    /// Signals the databases whose number of writes has changed since the last signal.
    ///
    /// A database that was not compared before is signalled too, because what has changed since its observation began is
    /// unknown.
    private func compareOnce() async throws {
        let observed = state.withLock { Array($0.observers.keys) }
        if observed.isEmpty { return }
        let numbers = try await environment.numbers(observed)
        let changed = state.withLock { state in
            observed.filter { database in
                let number = numbers[database] ?? 0
                guard state.observers[database] != nil, state.numbers[database] != number else { return false }
                state.numbers[database] = number
                return true
            }
        }
        for database in changed { environment.signals.signal(database) }
    }
}
