import Cabinet
import Testing

extension StorageTransaction {
    /// Adds fields to a record type, and the type itself if it is not in the schema.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await apply([.addFields(fields, to: recordType)])
    }

    /// Replaces the indexes of a record type.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await apply([.setIndexes(indexes, of: recordType)])
    }

    /// Inserts records.
    func insert(_ records: [StoredRecord]) async throws {
        try await apply(records.map(StorageMutation.insert))
    }

    /// Updates stored records.
    func update(_ records: [StoredRecord]) async throws {
        let stored = try await load(StorageKeys(records: records.map(\.recordID))).records
        try await apply(zip(records, stored).compactMap { new, old in old.map { .update(new, replacing: $0) } })
    }

    /// Reserves a sequence number, which is counted in an entry.
    func reserveNumber() async throws -> Int64 {
        let key = StorageKey("test/number")
        let last = try await load(StorageKeys(entries: [key])).entries[0].flatMap { Int64($0) } ?? 0
        try await apply([.setEntry(key, "\(last + 1)")])
        return last + 1
    }
}

extension StorageSnapshot {
    /// The ability to compute values, which every view of the backend has.
    var aggregates: any StorageAggregates {
        get throws { try #require(abilities.aggregates) }
    }
}
