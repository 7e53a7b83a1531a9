import Cabinet
import Synchronization

/// The reads of this process that are under way.
///
/// The server takes the snapshot of a read at the read's first statement, which may run after the read's body has begun. The
/// snapshot must not include the changes of a write that began after the body. Writes do not wait for that. A write announces
/// its number before it commits, and a read whose snapshot includes the number runs again. A snapshot that the server's answer
/// has confirmed is fixed, and its read is not affected.
///
/// Reads also hold locks on the tables that they have read. Long reads release them.
final class ActiveSnapshots: Sendable {
    private struct Entry {
        let session: Session
        let database: DatabaseName
        /// The position of this read among all reads of the process, by their beginnings.
        let order: UInt64
        /// Whether the read has lasted since an earlier interval.
        var isOld = false
    }

    /// The identity of a database across backends: each may read what another one writes.
    struct DatabaseName: Hashable {
        let schema: String
        let database: DatabaseKey
    }

    private struct State {
        var sessions: [ObjectIdentifier: Entry] = [:]
        var nextOrder: UInt64 = 0
        var isWatching = false
    }

    private let state = Mutex(State())

    /// The reads of all backends.
    static let shared = ActiveSnapshots()

    /// The time after which reads release the locks that they hold.
    private static let pause = Duration.milliseconds(20)

    /// Adds a read, whose body begins now.
    func add(_ session: Session, of database: DatabaseName) {
        startWatching { state in
            state.sessions[ObjectIdentifier(session)] = Entry(
                session: session, database: database, order: state.nextOrder)
            state.nextOrder += 1
        }
    }

    /// Releases the locks of a read that was used again after they were released.
    func watch() { startWatching { _ in } }

    private func startWatching(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if mustStart { Task.detached { await self.releaseLocks() } }
    }

    /// Whether a read holds locks that will be released, for tests.
    var isWatching: Bool { state.withLock(\.isWatching) }

    /// Removes a read that has ended.
    func remove(_ session: Session) {
        state.withLock { $0.sessions[ObjectIdentifier(session)] = nil }
    }

    /// The number of reads that have begun; those that begin later do not count.
    var order: UInt64 { state.withLock(\.nextOrder) }

    /// Excludes a write from the snapshots that are not taken yet.
    ///
    /// - Parameters:
    ///   - number: The number of the write, which is about to be committed.
    ///   - database: The database that it changes.
    ///   - order: The ``order`` when the write began. Reads that began later may see it.
    func exclude(_ number: Int64, of database: DatabaseName, from order: UInt64) {
        let sessions = state.withLock { state in
            state.sessions.isEmpty
                ? [] : state.sessions.values.filter { $0.database == database && $0.order < order }.map(\.session)
        }
        for session in sessions { session.start.exclude(number) }
    }

    /// Releases the locks of reads at intervals, until no read holds any.
    ///
    /// A read that its body does not use holds no locks, however long it lasts, and wakes nothing.
    private func releaseLocks() async {
        var isNeeded = true
        while isNeeded {
            try? await Task.sleep(for: Self.pause)
            let sessions = state.withLock { state in
                // Spare the reads that began during this interval: most reads end before a transaction waits for their locks.
                let old = state.sessions.values.filter { $0.isOld && $0.session.isWatched }.map(\.session)
                for id in state.sessions.keys { state.sessions[id]?.isOld = true }
                return old
            }
            for session in sessions { session.releaseLocks() }
            isNeeded = state.withLock { state in
                state.isWatching = state.sessions.values.contains(where: \.session.isWatched)
                return state.isWatching
            }
        }
    }
}
