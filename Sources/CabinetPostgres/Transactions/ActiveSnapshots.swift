import Cabinet
import Synchronization

/// The reads of this process that are under way.
///
/// The server takes the snapshot of a read when it gets to the read's first statement, which may be after the read's body has begun.
/// The changes of a write that began after the body must not be in the snapshot. No write waits for that: it announces its number
/// before it commits, and a read whose snapshot holds the number runs again. A snapshot that the server's answer has confirmed is
/// fixed, and its read is not affected.
///
/// Reads also hold locks on the tables that they have read. Those that go on for longer release them.
final class ActiveSnapshots: Sendable {
    private struct Entry {
        let session: Session
        let database: DatabaseName
        /// The reads that began before this one, in the process.
        let order: UInt64
    }

    /// A database of any backend: each may read what another one writes.
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

    /// After how long a read releases its locks, and then those that it has taken since.
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

    /// Removes a read that is over.
    func remove(_ session: Session) {
        state.withLock { $0.sessions[ObjectIdentifier(session)] = nil }
    }

    /// The number of reads that have begun; those that begin later do not count.
    var order: UInt64 { state.withLock(\.nextOrder) }

    /// Excludes a write from the snapshots that may still have to be taken.
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

    /// Releases the locks of reads, as long as there are reads.
    private func watch() async {
        var old: Set<ObjectIdentifier> = []
        while true {
            try? await Task.sleep(for: Self.pause)
            let sessions = state.withLock { state in
                if state.sessions.isEmpty { state.isWatching = false }
                return state.sessions
            }
            if sessions.isEmpty { return }
            // Most reads are over before anybody could wait for them.
            for (id, read) in sessions where old.contains(id) { read.session.releaseLocks() }
            old = Set(sessions.keys)
        }
    }
}
