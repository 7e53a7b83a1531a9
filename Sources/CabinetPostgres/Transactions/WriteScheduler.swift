import Cabinet
import Synchronization

/// The waiting writes of this process, in a queue for each database.
///
/// The server lets one write at a time change a database, and each waiting write would occupy a connection there. The writes
/// that have queued up here during one transaction form the next one.
final class WriteScheduler: Sendable {
    /// A waiting write and its deadline.
    private struct Waiter: Sendable {
        let write: WriteRequest
        let deadline: ContinuousClock.Instant
    }

    /// The queues of the databases that are being written.
    private let state = Mutex<[DatabaseKey: [Waiter]]>([:])
    /// The databases whose queue is checked for expired writes.
    private let watched = Mutex<Set<DatabaseKey>>([])

    /// The time that a write waits for others; zero to wait indefinitely.
    private let timeout: Duration

    /// The limit of writes in one transaction: PostgreSQL caches as many subtransactions in shared memory.
    private static let batchLimit = 64

    /// Creates a scheduler.
    ///
    /// - Parameter timeout: The time that a write waits for others. As with the server's limit, zero means to wait
    ///   indefinitely.
    init(timeout: Duration) {
        self.timeout = .milliseconds(timeout.milliseconds > 0 ? timeout.milliseconds : Int64(Int32.max))
    }

    /// Begins a write, if none is under way.
    ///
    /// - Returns: Whether the caller may write, and must then call ``end(_:)``.
    func begin(_ database: DatabaseKey) -> Bool {
        state.withLock { queues in
            if queues[database] != nil { return false }
            queues[database] = []
            return true
        }
    }

    /// Ends a write.
    ///
    /// - Returns: Whether other writes are waiting, which the caller must run.
    func end(_ database: DatabaseKey) -> Bool {
        state.withLock { queues in
            if queues[database]?.isEmpty == false { return true }
            queues[database] = nil
            return false
        }
    }

    /// Enqueues a write behind the one that is under way.
    ///
    /// - Returns: Whether none is under way any more, so that the caller must run the waiting ones.
    func add(_ write: WriteRequest, to database: DatabaseKey) -> Bool {
        let waiter = Waiter(write: write, deadline: .now + timeout)
        let isFirst = state.withLock { queues in
            defer { queues[database, default: []].append(waiter) }
            return queues[database] == nil
        }
        if watched.withLock({ $0.insert(database).inserted }) { Task.detached { await self.watch(database) } }
        return isFirst
    }

    /// Returns the writes to run together next, or ends the queue if none are waiting.
    func next(_ database: DatabaseKey) -> [WriteRequest] {
        state.withLock { queues in
            guard let queue = queues[database], !queue.isEmpty else {
                queues[database] = nil
                return []
            }
            queues[database]?.removeFirst(min(queue.count, Self.batchLimit))
            return queue.prefix(Self.batchLimit).map(\.write)
        }
    }

    /// Returns the number of waiting writes.
    func count(_ database: DatabaseKey) -> Int { state.withLock { $0[database]?.count ?? 0 } }

    /// Fails the writes that have waited for too long.
    private func watch(_ database: DatabaseKey) async {
        while true {
            // Deadlines are in the order of the queue, so checking the first one is enough.
            let first = state.withLock { $0[database]?.first?.deadline }
            guard let first else {
                watched.withLock { _ = $0.remove(database) }
                // A write may have been added in between.
                guard count(database) > 0, watched.withLock({ $0.insert(database).inserted }) else { return }
                continue
            }
            try? await Task.sleep(until: first)
            let now = ContinuousClock.now
            let late = state.withLock { queues -> [Waiter] in
                let late = queues[database]?.prefix { $0.deadline <= now } ?? []
                queues[database]?.removeFirst(late.count)
                return Array(late)
            }
            for waiter in late { waiter.write.task.cancel(Self.busy) }
        }
    }

    private static var busy: CabinetError {
        CabinetError(
            .zoneBusy, "Other writes kept the database busy for longer than 'busyTimeout'. Try again.",
            retryAfterSeconds: 1)
    }
}
