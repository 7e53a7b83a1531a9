/// What a batch of saves and deletions does to a database: worked out whole before anything is done.
struct BatchPlan: Sendable {
    /// The fields that the batch adds to the schema.
    var schemaAdditions: [(recordType: Record.RecordType, fields: [StoredField])] = []
    /// New records.
    var insertions: [StoredRecord] = []
    /// Records that the batch saves, and those that lose a reference by the rule `nullify`, in their new state.
    var updates: [StoredRecord] = []
    /// Records that the batch deletes, and those that go with them.
    var deletions: [RecordID] = []
    /// The records that will not be saved or deleted, and why.
    var failures: [RecordID: CabinetError] = [:]

    /// Carries the plan out.
    mutating func apply(to transaction: any StorageTransaction) async throws {
        for (recordType, fields) in schemaAdditions { try await transaction.add(fields, to: recordType) }
        if !deletions.isEmpty { try await transaction.remove(deletions) }
        let count = insertions.count + updates.count
        guard count > 0 else { return }
        var number = try await transaction.reserveSequenceNumbers(count)
        for index in insertions.indices {
            insertions[index].sequenceNumber = number
            number += 1
        }
        for index in updates.indices {
            updates[index].sequenceNumber = number
            number += 1
        }
        if !insertions.isEmpty { try await transaction.insert(insertions) }
        if !updates.isEmpty { try await transaction.update(updates) }
    }
}
