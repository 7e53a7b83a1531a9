import Cabinet

/// What is known of the write under way.
struct WriteState {
    /// Whether something was changed, so that there is something to commit.
    var hasChanges = false
    /// The IDs of records that are stored, as this transaction has found; nobody else changes the database meanwhile.
    var knownIDs: Set<RecordID> = []
}
