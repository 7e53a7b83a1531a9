import Cabinet
import Synchronization

/// Announces committed changes to other processes, in transactions of its own.
///
/// PostgreSQL holds a lock for all databases while it commits a transaction that announces something. In the transactions of
/// the changes, it would make them commit one after the other. Announcements are batched: one transaction announces all
/// databases that have changed since the last one.
///
/// A process that crashes between a commit and the announcement announces nothing. ``ChangeListener`` therefore also compares
/// the numbers of writes.
final class ChangeAnnouncer: Sendable {
    private struct State {
        /// The number of writes of each database to announce.
        var numbers: [DatabaseKey: Int64] = [:]
        /// The texts with which the listener tests whether it hears.
        var nonces: [String] = []
        var isRunning = false
        /// The tasks that wait until everything is announced.
        var finishers: [Promise<Void>] = []
    }

    /// The name of this backend in its announcements.
    let sender = String(UInt64.random(in: 0 ... .max), radix: 36)

    private let state = Mutex(State())
    private let connections: ConnectionPool
    private let channel: String

    /// The pause after an announcement, in which those of further changes accumulate.
    private static let pause = Duration.milliseconds(5)
    /// The largest number of databases that one transaction announces.
    private static let batchLimit = 1000
    /// The time that closing the backend waits for the last announcements.
    private static let finishLimit = Duration.seconds(2)

    /// Announces without waiting for a disk or a standby: the changes themselves are durable already.
    private static let statement = """
        WITH setting AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)) \
        SELECT pg_notify($1, payload) FROM setting, unnest($2::text[]) AS payload
        """

    init(connections: ConnectionPool, channel: String) {
        self.connections = connections
        self.channel = channel
    }

    /// Announces a committed change.
    ///
    /// - Parameter number: The number of the database's writes, including this one.
    func announce(_ database: DatabaseKey, number: Int64) {
        start { $0.numbers[database] = max(number, $0.numbers[database] ?? 0) }
    }

    /// Sends a text that only the listener of this backend recognizes.
    func send(nonce: String) {
        start { $0.nonces.append(nonce) }
    }

    /// Waits until everything is announced, for some seconds at most.
    func finish() async {
        let end = Promise<Void>()
        let isRunning = state.withLock { state in
            if state.isRunning { state.finishers.append(end) }
            return state.isRunning
        }
        guard isRunning else { return }
        let timer = Task {
            try await Task.sleep(for: Self.finishLimit)
            end.resolve(.success(()))
        }
        // The promise is never resolved with an error.
        try? await end.value()
        timer.cancel()
    }

    private func start(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task.detached { await self.run() } }
    }

    private func run() async {
        while true {
            let payloads = next()
            if payloads.isEmpty { return }
            await announce(payloads)
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Returns the payloads of the next announcement; none if there is nothing to announce, which ends the run.
    private func next() -> [String] {
        var finishers: [Promise<Void>] = []
        defer { for finisher in finishers { finisher.resolve(.success(())) } }
        return state.withLock { state in
            var announcements = state.nonces.map { Announcement(sender: sender, number: 0, name: $0) }
            state.nonces = []
            for (database, number) in state.numbers.prefix(Self.batchLimit) {
                announcements.append(Announcement(sender: sender, number: number, name: database.storedName))
                state.numbers[database] = nil
            }
            if announcements.isEmpty {
                state.isRunning = false
                swap(&finishers, &state.finishers)
            }
            // The listeners find the others by their numbers.
            return announcements.filter(\.isDeliverable).map(\.payload)
        }
    }

    /// Announces changes, and repeats that if the connection was lost.
    ///
    /// If both attempts fail, the listeners find the changes by their numbers.
    private func announce(_ payloads: [String]) async {
        for _ in 0..<2 {
            guard let pooled = try? await connections.take() else { return }
            let isDone = await withTaskExecutorPreference(pooled.executor) { [channel] in
                defer { pooled.finish() }
                let values: [SQLValue] = [.text(channel), .texts(payloads)]
                return (try? await pooled.connected().answer(Self.statement, values)) != nil
            }
            connections.giveBack(pooled)
            if isDone { return }
        }
    }
}
