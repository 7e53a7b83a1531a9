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
        if !removals.isEmpty { counts.add(try await remove(removals, from: transaction)) }
        for (asset, id) in uploads {
            try await transaction.add(asset, uploadedAs: id)
            counts.assets += 1
            counts.assetBytes += asset.size
        }
        if !insertions.isEmpty { try await transaction.insert(insertions) }
        if !updates.isEmpty { try await transaction.update(updates) }
        try await AssetRule.removeUnused(candidates, in: transaction)
        counts.savedRecords = insertions.count + updates.count
        counts.newRecords = insertions.count
        return counts
    }

    /// Removes records, and whatever would be remembered of it: nobody has known them.
    func remove(_ ids: [RecordID], from transaction: any StorageTransaction) async throws -> CopyCounts {
        var counts = CopyCounts()
        let keys = try await transaction.schema().assetKeys
        var candidates: Set<Asset.Checksum> = []
        if !keys.isEmpty {
            for case let record? in try await transaction.records(for: ids, keys: keys) {
                candidates.formUnion(record.fields.storedAssets.map(\.checksum))
            }
        }
        let number = try await transaction.reserveSequenceNumbers(ids.count)
        try await transaction.remove(ids, firstSequenceNumber: number, date: .distantPast)
        try await transaction.forgetDeletions(inZone: zoneID, before: .distantFuture, keepingLast: 0)
        try await AssetRule.removeUnused(candidates, in: transaction)
        counts.removedRecords = ids.count
        return counts
    }
}
