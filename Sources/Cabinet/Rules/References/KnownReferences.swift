/// The loaded values of a database that rules about references depend on.
struct KnownReferences: Sendable {
    /// The requested targets that are stored.
    var existing: Set<RecordID> = []

    /// The references with a delete rule to records, by target.
    var byTarget: [RecordID: [StoredReference]] = [:]

    /// The records that hold these references, complete.
    var sources: [RecordID: StoredRecord] = [:]

    /// Adds references with a delete rule.
    mutating func add(_ references: [StoredReference]) {
        // Most stores return the references to one target together.
        var rest = references[...]
        while let target = rest.first?.target {
            let group = rest.prefix { $0.target == target }
            byTarget[target, default: []] += group
            rest = rest.dropFirst(group.count)
        }
    }
}
