/// The loaded values of a database that rules about references depend on.
struct KnownReferences: Sendable {
    /// The requested targets that are stored.
    var existing: Set<RecordID> = []

    /// The references with a delete rule to records, by target.
    var byTarget: [RecordID: [StoredReference]] = [:]

    /// The records that hold these references, complete.
    var sources: [RecordID: StoredRecord] = [:]
}
