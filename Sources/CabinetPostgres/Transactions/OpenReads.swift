import Cabinet
import Synchronization

/// The reads of this process that are under way.
///
/// Their snapshots may still have to be taken: the server was asked to, and has not answered yet. A write that begins now must not be
/// in them, so it waits until they are taken. And they have locks on the tables that they have looked into, which those that go on for
/// longer give up.
final class OpenReads: Sendable {
    private struct State {
        var sessions: [ObjectIdentifier: (session: Session, database: DatabaseKey)] = [:]
        var isWatching = false
    }

    private let state = Mutex(State())

    /// Those of all backends: each may read what another one writes.
    static let shared = OpenReads()

    /// After how long a read gives up its locks, and then gives up those that it has taken since.
    private static let pause = Duration.milliseconds(10)

    /// Notes a read that begins.
    func add(_ session: Session, of database: DatabaseKey) {
        let mustWatch = state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = (session, database)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if mustWatch { Task.detached { await self.watch() } }
    }

    /// Forgets a read that is over.
    func remove(_ session: Session) {
        state.withLock { $0.sessions[ObjectIdentifier(session)] = nil }
    }

    /// Waits until the snapshots of a database are taken. Call this where one may block.
    func settle(_ database: DatabaseKey) {
        let found = state.withLock { state in
            state.sessions.isEmpty ? [] : state.sessions.values.filter { $0.database == database }.map(\.session)
        }
        for session in found { session.settle() }
    }

    /// Lets reads give up their locks, as long as there are some.
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
