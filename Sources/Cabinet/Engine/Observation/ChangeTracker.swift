import Synchronization

/// The histories of a container's observed databases, each shared by all live queries on the database.
///
/// A history lives while a live query holds it. A container has at most three databases.
final class ChangeTracker: Sendable {
    private struct State {
        var histories: [DatabaseKey: WeakHistory] = [:]
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

    /// Finishes all histories, and those that are requested later.
    func finish() {
        let histories = state.withLock { state in
            state.isFinished = true
            return state.histories.values.compactMap(\.history)
        }
        for history in histories { history.finish() }
    }
}
