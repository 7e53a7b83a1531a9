import Cabinet

/// What is known of the write under way.
struct WriteState {
    /// Whether something was changed, so that there is something to commit.
    var hasChanges = false
    /// The record types whose indexes were made for this transaction, as far as they can be.
    var indexesMade: Set<Record.RecordType> = []
    /// The record types that have lost an index.
    var typesWithFewerIndexes: Set<Record.RecordType> = []
}
