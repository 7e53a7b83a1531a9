import Cabinet
import Foundation
import Testing

/// Calls of the tests over the seam, one mutation each.
extension StorageTransaction {
    /// Reserves sequence numbers as Cabinet's core does.
    ///
    /// Its entry begins with the last one.
    @discardableResult
    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        let key = StorageKey("database")
        let text = try await load(StorageKeys(entries: [key])).entries.first ?? nil
        let parts = text?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        let last = parts.first.flatMap { Int64($0) } ?? 0
        try await apply([.setEntry(key, (["\(last + Int64(count))"] + parts.dropFirst()).joined(separator: " "))])
        return last + 1
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await apply([.addFields(fields, to: recordType)])
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await apply([.setIndexes(indexes, of: recordType)])
    }

    func insert(_ records: [StoredRecord]) async throws {
        try await apply(records.map(StorageMutation.insert))
    }

    /// Updates stored records, which are loaded first, and keep their insertion numbers.
    func update(_ records: [StoredRecord]) async throws {
        let stored = try await self.records(for: records.map(\.recordID), keys: nil)
        try await apply(
            zip(records, stored).compactMap { new, old in
                guard let old else { return nil }
                var new = new
                new.insertionNumber = old.insertionNumber
                return .update(new, replacing: old)
            })
    }

    /// Deletes stored records, which are loaded first.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws {
        let stored = try await records(for: ids, keys: nil).compactMap(\.self)
        try await apply(
            stored.enumerated().map { index, record in
                let deletion = StoredDeletion(
                    recordID: record.recordID, recordType: record.recordType,
                    sequenceNumber: firstSequenceNumber + Int64(index), date: date)
                return .delete(deletion, replacing: record)
            })
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        try await apply([.addAsset(asset, uploadedAs: id)])
    }

    func removeAssets(_ checksums: [Asset.Checksum]) async throws {
        try await apply(checksums.map(StorageMutation.removeAsset))
    }
}

extension StorageSnapshot {
    /// The text of an entry.
    func entry(_ key: String) async throws -> String? {
        try await load(StorageKeys(entries: [StorageKey(key)])).entries[0]
    }

    /// The abilities of a SQLite store's view, which other views may lack.
    private var aggregates: any StorageAggregates {
        get throws { try #require(abilities.aggregates) }
    }

    private var storedAssets: any StoredAssets {
        get throws { try #require(abilities.assets) }
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        try await aggregates.count(matching: plan)
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        try await aggregates.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await aggregates.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await aggregates.explanation(of: plan)
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await storedAssets.assets(for: checksums)
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await storedAssets.assets(after: checksum, limit: limit)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await storedAssets.assetsInUse(among: checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await storedAssets.bytes(of: checksum, in: range)
    }
}
