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

    /// The interval at which reads release the locks that they hold.
    private static let pause = Duration.milliseconds(10)

    /// Adds a read, whose body begins now.
    func add(_ session: Session, of database: DatabaseName) {
        let mustWatch = state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = Entry(
                session: session, database: database, order: state.nextOrder)
            state.nextOrder += 1
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if mustWatch { Task.detached { await self.watch() } }
    }

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

    /// Releases the locks of reads at intervals, until all reads have ended.
    private func watch() async {
        var old: Set<ObjectIdentifier> = []
        while true {
            try? await Task.sleep(for: Self.pause)
            let sessions = state.withLock { state in
                if state.sessions.isEmpty { state.isWatching = false }
                return state.sessions
            }
            if sessions.isEmpty { return }
            // Spare the reads that began during this interval: most reads end before a transaction waits for their locks.
            for (id, read) in sessions where old.contains(id) { read.session.releaseLocks() }
            old = Set(sessions.keys)
        }
    }
}
