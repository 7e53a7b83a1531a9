import Cabinet
import Synchronization

/// A write that is run together with others, and what was created for it before it was run again.
final class WriteRequest: Sendable {
    let task: WriteTask<PostgresTransaction>
    private let types = Mutex<Set<Record.RecordType>>([])

    init(_ task: WriteTask<PostgresTransaction>) {
        self.task = task
    }

    /// The record types whose indexes were created for the write already.
    var indexesMade: Set<Record.RecordType> { types.withLock(\.self) }

    /// Records that indexes were created for the write.
    func noteIndexes(of recordType: Record.RecordType) {
        _ = types.withLock { $0.insert(recordType) }
    }
}
