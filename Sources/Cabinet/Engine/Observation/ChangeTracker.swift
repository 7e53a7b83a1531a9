import Synchronization

/// The histories of a service's observed databases, each shared by all streams of signals of the database.
///
/// A history lives while a stream holds it.
final class ChangeTracker: Sendable {
    private struct State {
        var histories: [DatabaseKey: WeakHistory] = [:]
        /// The number of histories at which those that were deallocated are removed.
        var nextPurge = 64
        var isFinished = false
    }

    private struct WeakHistory {
        weak var history: ChangeHistory?
    }

    private let backend: any StorageBackend
    private let state = Mutex(State())

    init(_ backend: any StorageBackend) {
        self.backend = backend
    }

    /// Whether ``finish()`` was called.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Returns the history of a database, which is finished if the tracker is.
    func history(of database: DatabaseKey) -> ChangeHistory {
        state.withLock { state in
            if let history = state.histories[database]?.history, !history.isFinished { return history }
            if state.histories.count >= state.nextPurge {
                state.histories = state.histories.filter { $0.value.history != nil }
                state.nextPurge = 2 * state.histories.count + 64
            }
            let history = ChangeHistory(of: database)
            if state.isFinished {
                history.finish()
            } else {
                history.follow(backend)
                state.histories[database] = WeakHistory(history: history)
            }
            return history
        }
    }

    /// Returns the history of a database if a stream of signals holds it.
    func currentHistory(of database: DatabaseKey) -> ChangeHistory? {
        state.withLock { $0.histories[database]?.history }
    }

    /// Finishes all histories, and those that are requested later.
    func finish() {
        let histories = state.withLock { state in
            state.isFinished = true
            return state.histories.values.compactMap(\.history)
        }
        for history in histories { history.finish() }
    }
}
