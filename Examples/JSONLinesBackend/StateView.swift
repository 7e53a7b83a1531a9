import Cabinet
import Synchronization

/// What both views of a database share: they answer from its state.
protocol StateView: StorageSnapshot {
    var state: DatabaseState { get }
}

/// A view that nothing is changed in.
struct Snapshot: StateView {
    let state: DatabaseState
}

/// A view that changes are made in, each as a fact.
final class Transaction: StateView, StorageTransaction {
    let uploads: Uploads
    private let content: Mutex<(state: DatabaseState, facts: [Fact])>

    init(state: DatabaseState, uploads: Uploads) {
        self.uploads = uploads
        content = Mutex((state, []))
    }

    var state: DatabaseState { content.withLock { $0.state } }

    func add(_ facts: [Fact]) {
        content.withLock { content in
            for fact in facts { content.state.apply(fact) }
            content.facts += facts
        }
    }

    /// Ends the transaction: what the database is now, and what has made it so.
    func finish() -> (state: DatabaseState, facts: [Fact]) {
        content.withLock { content in
            defer { content = (DatabaseState(), []) }
            return content
        }
    }
}
