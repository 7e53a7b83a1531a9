import Cabinet
import Synchronization

/// The records whose state one task learns while another one waits for the server's answer about them.
///
/// A fetch and a send do not wait for each other, so an answer can be older than what the other task has applied since it was asked for.
/// The task that learns adds the records before its transaction, and the other one checks them in its own. Whichever transaction
/// comes first, the older version is never applied over the newer one.
final class MirrorLearning: Sendable {
    /// The records since the request; `nil` while no task waits.
    private let learned = Mutex<Set<RecordID>?>(nil)

    /// Begins to collect, before a request.
    func begin() { learned.withLock { $0 = [] } }

    /// Ends to collect.
    func end() { learned.withLock { $0 = nil } }

    /// Adds records that are about to be applied.
    func add(_ ids: some Sequence<RecordID>) { learned.withLock { $0?.formUnion(ids) } }

    /// Whether one of the records was added since the request.
    func has(_ ids: some Sequence<RecordID>) -> Bool {
        learned.withLock { learned in ids.contains { learned?.contains($0) ?? false } }
    }
}
