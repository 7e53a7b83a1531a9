import Cabinet
import Synchronization

/// The writes of this process that wait for their turn, each in the line of its database.
///
/// A server lets one write at a time change a database; the others would wait there, each on a connection of its own. What has gathered
/// here while one transaction was made durable is the next one.
final class WriteScheduler: Sendable {
    /// A write that waits, and until when.
    private struct Waiter: Sendable {
        let write: WriteRequest
        let deadline: ContinuousClock.Instant
    }

    /// The lines of the databases that somebody writes to.
    private let state = Mutex<[DatabaseKey: [Waiter]]>([:])
    /// The databases whose line somebody looks at from time to time.
    private let watched = Mutex<Set<DatabaseKey>>([])

    /// How long a write waits for others.
    private let timeout: Duration

    /// The most writes that are committed together: PostgreSQL has room at hand for as many savepoints of a transaction.
    private static let batchLimit = 64

    /// - Parameter timeout: How long a write waits for others; as with the server, none at all is without end.
    init(timeout: Duration) {
        self.timeout = .milliseconds(timeout.milliseconds > 0 ? timeout.milliseconds : Int64(Int32.max))
    }

    /// Begins to write, if nobody does.
    ///
    /// - Returns: Whether the caller writes now, and must call ``end(_:)``.
    func begin(_ database: DatabaseKey) -> Bool {
        state.withLock { lines in
            if lines[database] != nil { return false }
            lines[database] = []
            return true
        }
    }

    /// Ends to write.
    ///
    /// - Returns: Whether others wait, whose writes the caller must see to.
    func end(_ database: DatabaseKey) -> Bool {
        state.withLock { lines in
            if lines[database]?.isEmpty == false { return true }
            lines[database] = nil
            return false
        }
    }

    /// Lets a write wait behind the one that is under way.
    ///
    /// - Returns: Whether none is under way any more, so that the caller must see to those that wait.
    func add(_ write: WriteRequest, to database: DatabaseKey) -> Bool {
        let waiter = Waiter(write: write, deadline: .now + timeout)
        let isFirst = state.withLock { lines in
            defer { lines[database, default: []].append(waiter) }
            return lines[database] == nil
        }
        if watched.withLock({ $0.insert(database).inserted }) { Task.detached { await self.watch(database) } }
        return isFirst
    }

    /// The next writes to be run together; none if nobody waits, and then nobody writes any more.
    func next(_ database: DatabaseKey) -> [WriteRequest] {
        state.withLock { lines in
            guard let line = lines[database], !line.isEmpty else {
                lines[database] = nil
                return []
            }
            lines[database]?.removeFirst(min(line.count, Self.batchLimit))
            return line.prefix(Self.batchLimit).map(\.write)
        }
    }

    /// The number of writes that wait.
    func count(_ database: DatabaseKey) -> Int { state.withLock { $0[database]?.count ?? 0 } }

    /// Lets those go who have waited for too long.
    private func watch(_ database: DatabaseKey) async {
        while true {
            // Whoever comes later is looked at later: the first one waits no longer than the others.
            let first = state.withLock { $0[database]?.first?.deadline }
            guard let first else {
                watched.withLock { _ = $0.remove(database) }
                // Somebody may have come before that.
                guard count(database) > 0, watched.withLock({ $0.insert(database).inserted }) else { return }
                continue
            }
            try? await Task.sleep(until: first)
            let now = ContinuousClock.now
            let late = state.withLock { lines -> [Waiter] in
                let late = lines[database]?.prefix { $0.deadline <= now } ?? []
                lines[database]?.removeFirst(late.count)
                return Array(late)
            }
            for waiter in late { waiter.write.task.cancel(Self.busy) }
        }
    }

    private static var busy: CabinetError {
        CabinetError(
            .zoneBusy, "Other writes have kept the database busy for longer than 'busyTimeout'. Try again.",
            retryAfterSeconds: 1)
    }
}
