import Cabinet
import Synchronization

/// A write that waits to be run together with others, and the indexes that were created for it.
final class WriteRequest: Sendable {
    let task: WriteTask<PostgresTransaction>
    private let types = Mutex<Set<Record.RecordType>>([])

    init(_ task: WriteTask<PostgresTransaction>) {
        self.task = task
    }

    /// The record types whose indexes were already created for the write.
    var indexesMade: Set<Record.RecordType> { types.withLock(\.self) }

    /// Records that the indexes of a record type were created for the write.
    func recordIndexes(of recordType: Record.RecordType) {
        _ = types.withLock { $0.insert(recordType) }
    }
}
