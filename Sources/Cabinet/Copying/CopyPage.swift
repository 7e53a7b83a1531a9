import Foundation

/// Some changes of a zone of the source, in their order.
struct CopyPage: Sendable {
    let zoneID: RecordZone.ID
    var changes: [StoredChange] = []

    /// Makes the changes in the target, as far as they were not made before.
    ///
    /// - Parameters:
    ///   - transaction: Where to.
    ///   - uploads: The assets that the records have and the target does not have yet, and the uploads that have their bytes.
    func apply(to transaction: any StorageTransaction, _ uploads: [StoredAsset: UUID]) async throws -> CopyCounts {
        var counts = CopyCounts()
        let ids = changes.map(\.recordID)
        let keys = try await transaction.schema().assetKeys
        var insertions: [StoredRecord] = []
        var updates: [StoredRecord] = []
        var removals: [RecordID] = []
        // Assets that records had, and that maybe none has any more.
        var candidates: Set<Asset.Checksum> = []
        for (change, copy) in zip(changes, try await transaction.records(for: ids, keys: keys)) {
            switch change {
            case .saved(let record):
                if let copy, copy.sequenceNumber == record.sequenceNumber { continue }
                if let copy, copy.recordType == record.recordType {
                    updates.append(record)
                    let kept = record.fields.storedAssets
                    candidates.formUnion(copy.fields.storedAssets.subtracting(kept).map(\.checksum))
                } else {
                    // A record that was deleted, and made anew with another type.
                    if copy != nil { removals.append(record.recordID) }
                    insertions.append(record)
                }
            case .deleted(let deletion):
                if copy != nil { removals.append(deletion.recordID) }
            }
        }
        candidates.formUnion(try await delete(removals, from: transaction))
        for (asset, id) in uploads {
            try await transaction.add(asset, uploadedAs: id)
            counts.assets += 1
            counts.assetBytes += asset.size
        }
        if !insertions.isEmpty { try await transaction.insert(insertions) }
        if !updates.isEmpty { try await transaction.update(updates) }
        // Last: a record of this page may use an asset that another one of it no longer has.
        try await AssetRule.removeUnused(candidates, in: transaction)
        counts.savedRecords = insertions.count + updates.count
        counts.newRecords = insertions.count
        counts.removedRecords = removals.count
        return counts
    }

    /// Deletes records that the source no longer has, and the assets that only they used.
    func remove(_ ids: [RecordID], from transaction: any StorageTransaction) async throws -> CopyCounts {
        let candidates = try await delete(ids, from: transaction)
        try await AssetRule.removeUnused(candidates, in: transaction)
        var counts = CopyCounts()
        counts.removedRecords = ids.count
        return counts
    }

    /// Deletes records without leaving tombstones, because no client has fetched them from the target.
    ///
    /// - Returns: The assets of these records, which other records may use too.
    private func delete(
        _ ids: [RecordID], from transaction: any StorageTransaction
    ) async throws -> Set<Asset.Checksum> {
        if ids.isEmpty { return [] }
        var assets: Set<Asset.Checksum> = []
        let keys = try await transaction.schema().assetKeys
        if !keys.isEmpty {
            for case let record? in try await transaction.records(for: ids, keys: keys) {
                assets.formUnion(record.fields.storedAssets.map(\.checksum))
            }
        }
        let number = try await transaction.reserveSequenceNumbers(ids.count)
        try await transaction.remove(ids, firstSequenceNumber: number, date: .distantPast)
        try await transaction.forgetDeletions(inZone: zoneID, before: .distantFuture, keepingLast: 0)
        return assets
    }
}
