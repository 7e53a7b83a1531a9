/// The values of a database that rules about references depend on.
struct KnownReferences: Sendable {
    /// The targets that are stored, of those that were asked for.
    var existing: Set<RecordID> = []

    /// The references with a delete rule to records, by target.
    var byTarget: [RecordID: [StoredReference]] = [:]

    /// The records that hold these references, complete.
    var sources: [RecordID: StoredRecord] = [:]
}
