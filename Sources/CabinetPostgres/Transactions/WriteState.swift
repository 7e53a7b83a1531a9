import Cabinet
import SQLSupport

/// The state of the write under way.
struct WriteState {
    /// Whether the write has changed anything that must be committed.
    var hasChanges = false
    /// The entries to store before the commit; `nil` for those to remove.
    var pendingEntries: [StorageKey: String?] = [:]
    /// The entries that the transaction has read or set.
    var known = KnownEntries()
    /// Whether the write may assume that no other process has written since the last write.
    var mayAssume = false
    /// Whether the last write was this process's own, so that the next one may assume so.
    var isSoleWriter = false
    /// The record types whose indexes were built for this transaction, as far as possible.
    var indexesMade: Set<Record.RecordType> = []
    /// The number of inserted records, by type.
    var insertedCounts: [Record.RecordType: Int] = [:]
    /// The record types that have lost an index.
    var typesWithFewerIndexes: Set<String> = []
}
