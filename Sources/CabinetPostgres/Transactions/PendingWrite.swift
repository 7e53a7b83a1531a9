import Cabinet
import Synchronization

/// A write that is run together with others, and what was made for it before it was run again.
final class PendingWrite: Sendable {
    let job: any WriteJob
    private let types = Mutex<Set<Record.RecordType>>([])

    init(_ job: any WriteJob) {
        self.job = job
    }

    /// The record types whose indexes were made for the write already.
    var indexesMade: Set<Record.RecordType> { types.withLock(\.self) }

    /// Notes that indexes were made for the write.
    func noteIndexes(of recordType: Record.RecordType) {
        _ = types.withLock { $0.insert(recordType) }
    }
}
