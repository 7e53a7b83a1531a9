import Cabinet
import Synchronization

/// The reads of this process whose snapshots may still have to be taken: the server was asked to, and has not answered yet.
///
/// A write that begins now must not be in them, so it waits until they are taken.
final class OpeningReads: Sendable {
    private let sessions = Mutex<[ObjectIdentifier: (session: Session, database: DatabaseKey)]>([:])

    /// Those of all backends: each may read what another one writes.
    static let shared = OpeningReads()

    /// Notes a read that begins.
    func add(_ session: Session, of database: DatabaseKey) {
        sessions.withLock { $0[ObjectIdentifier(session)] = (session, database) }
    }

    /// Forgets a read that is over.
    func remove(_ session: Session) {
        sessions.withLock { $0[ObjectIdentifier(session)] = nil }
    }

    /// Waits until the snapshots of a database are taken. Call this where one may block.
    func settle(_ database: DatabaseKey) {
        let found = sessions.withLock { sessions in
            sessions.isEmpty ? [] : sessions.values.filter { $0.database == database }.map(\.session)
        }
        for session in found { session.settle() }
    }
}
