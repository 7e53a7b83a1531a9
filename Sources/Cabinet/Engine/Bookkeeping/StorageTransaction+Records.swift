import Foundation

extension StorageTransaction {
    /// Adds fields to a record type, and the type itself if it is not in the schema.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await apply([.addFields(fields, to: recordType)])
    }

    /// Replaces the indexes of a record type.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await apply([.setIndexes(indexes, of: recordType)])
    }

    /// Stores records whose IDs are not stored.
    func insert(_ records: [StoredRecord]) async throws {
        try await apply(records.map(StorageMutation.insert))
    }

    /// Replaces stored records.
    func update(_ records: [StoredRecord]) async throws {
        let stored = try await self.records(for: records.map(\.recordID), keys: nil)
        try await apply(zip(records, stored).compactMap { new, old in old.map { .update(new, replacing: $0) } })
    }

    /// Removes stored records, and remembers that they were deleted.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws {
        let stored = try await records(for: ids, keys: nil)
        try await apply(
            stored.enumerated().compactMap { index, record in
                guard let record else { return nil }
                let deletion = StoredDeletion(
                    recordID: record.recordID, recordType: record.recordType,
                    sequenceNumber: firstSequenceNumber + Int64(index), date: date)
                return .delete(deletion, replacing: record)
            })
    }

    /// Adds an asset, whose bytes an upload has taken in.
    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        try await apply([.addAsset(asset, uploadedAs: id)])
    }

    /// Removes stored assets.
    func removeAssets(_ checksums: [Asset.Checksum]) async throws {
        try await apply(checksums.map(StorageMutation.removeAsset))
    }
}
