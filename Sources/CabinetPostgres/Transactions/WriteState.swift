import Cabinet

/// What is known of the write under way.
struct WriteState {
    /// Whether something was changed, so that there is something to commit.
    var hasChanges = false
    /// The numbers of the tables that records are in, as this transaction has found; nobody else changes the database meanwhile.
    var tables: [RecordID: Int64] = [:]
    /// The record types whose indexes were made for this transaction, as far as they can be.
    var indexesMade: Set<Record.RecordType> = []
    /// Whether the default zone has a row, which it had or has got.
    var hasDefaultZone = false
    /// The record types that have lost an index.
    var typesWithFewerIndexes: Set<Record.RecordType> = []
}
